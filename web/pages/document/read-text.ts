import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import type { TextLine, TextPage, WordAt } from '../../page-view/words.ts';

/** Words below this confidence, 0..100, are worth a look. */
export const doubtfulBelow = 70;

/** The newest text of one page, with its words and boxes. */
export function useDocumentText(id: string, page: number) {
  return useQuery({
    ...read('documents', 'ocr', { params: { id }, query: { limit: 1, page } }),
    placeholderData: keepPreviousData,
  });
}

export const pageOf = (pages: readonly TextPage[] | undefined, index: number): TextPage | undefined =>
  pages?.find((page) => page.index === index);

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
