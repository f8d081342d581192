import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import type { TextLine, TextPage, WordAt } from '../../page-view/words.ts';
import type { Texts } from './reading.ts';

/** Words below this confidence, 0..100, are worth a look. */
export const doubtfulBelow = 70;

/** One page of the newest text of a document, with its words and boxes. A text may have fewer pages than its document. */
export function useDocumentText(id: string, page: number) {
  return useQuery(read('documents', 'ocr', { params: { id }, query: { limit: 1, page } }));
}

/** The shown page of a text: of the finished one, or else of the pages that a run has read so far. */
export function pageOf(texts: Texts | undefined, index: number): TextPage | undefined {
  const version = texts?.results[0];
  if (version === undefined) return texts?.reading?.page?.index === index ? texts.reading.page : undefined;
  return index >= version.pageCount ? undefined : version.result.pages.find((page) => page.index === index);
}

/** Places of the doubtful words, in reading order. */
export const doubtfulWords = (lines: readonly TextLine[]): readonly WordAt[] =>
  lines.flatMap(({ words }, line) =>
    words.flatMap(({ confidence }, word) => (confidence < doubtfulBelow ? [{ line, word }] : [])),
  );

/** The doubtful word after `at`; from the last one on to the first. */
export function nextDoubtful(lines: readonly TextLine[], at: WordAt | null): WordAt | undefined {
  const all = doubtfulWords(lines);
  if (at === null) return all[0];
  return all.find(({ line, word }) => line > at.line || (line === at.line && word > at.word)) ?? all[0];
}
