import type { Highlight } from '#src/contracts/resources/card.ts';
import type { Stem } from '#src/domain/embed-locally/lexical-features.ts';
import { createMatchFinder, type FoundMatch } from '#src/domain/search/find-matches.ts';
import { readQuery } from '#src/domain/search/read-query.ts';
import { createWordScanner } from '#src/domain/search/scan-words.ts';
import { bestRun, snippetLength, snippetOf } from '#src/domain/search/snippet.ts';

/** Stored text by field. */
export type HighlightFields = Readonly<Partial<Record<Highlight['field'], string>>>;

/** Matches on a page, as spans of its text. */
export interface FoundPlace {
  /** Index of the page. */
  readonly page: number;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** `place`: of recognized text, where it is on its page. */
export interface FoundHighlight extends Highlight {
  readonly place?: FoundPlace;
}

/** Returns at most three snippets of a document, those with most of the query first. */
export type HighlightDocument = (fields: HighlightFields) => FoundHighlight[];

const mostSnippets = 3;
/** Order of equally good snippets. */
const fieldOrder = ['title', 'description', 'ocr', 'segmentation', 'filename', 'records', 'objectKey'] as const;
/** Fields for the snippet of a document without matches: its own text before its description. */
const leadOrder = ['ocr', 'description', 'segmentation', 'title'] as const;

/**
 * Highlights the matches of a query by the rules of the lexical and exact retrievers: words by stem, spelling and one wrong letter, phrases
 * and identifiers as a whole. A document found only by its embedding gets its first lines, without spans. Linear in the text.
 */
export function createHighlighter(stem: Stem): (query: string) => HighlightDocument {
  const scan = createWordScanner();
  return (query) => {
    const find = createMatchFinder(readQuery(query), stem, scan);
    return (fields) => {
      const found = fieldOrder.map((field) => ({
        field,
        text: fields[field] ?? '',
        matches: find(fields[field] ?? ''),
      }));
      const telling = certain(found.flatMap(({ matches }) => matches));
      const snippets = found.flatMap(({ field, text, matches }) => {
        const { run, score } = bestRun(matches.filter(telling));
        const place = field === 'ocr' && run.length > 0 ? { place: placeOf(text, run) } : {};
        return run.length === 0 ? [] : [{ score, highlight: { field, ...snippetOf(text, run), ...place } }];
      });
      if (snippets.length === 0) return leadOf(fields);
      return snippets
        .toSorted((a, b) => b.score - a.score)
        .slice(0, mostSnippets)
        .map(({ highlight }) => highlight);
    };
  };
}

/** Place of a run in text whose pages are joined by form feeds. Of a run over two pages, the part on the first one. */
function placeOf(text: string, run: readonly Pick<FoundMatch, 'start' | 'end'>[]): FoundPlace {
  const first = run[0]?.start ?? 0;
  const pageStart = text.lastIndexOf('\f', first) + 1;
  const pageEnd = text.indexOf('\f', first);
  let page = 0;
  for (let at = text.indexOf('\f'); at !== -1 && at < pageStart; at = text.indexOf('\f', at + 1)) page += 1;
  const onPage = run.filter(({ start }) => pageEnd === -1 || start < pageEnd);
  return { page, spans: onPage.map(({ start, end }) => ({ start: start - pageStart, end: end - pageStart })) };
}

/** Returns a filter that drops typos and pieces if the document has an exact match of the same part. */
function certain(matches: readonly FoundMatch[]): (match: FoundMatch) => boolean {
  const whole = new Set(matches.filter(({ certainty }) => certainty === 'whole').map(({ part }) => part));
  const hasUnit = matches.some(({ certainty, weight }) => certainty === 'whole' && weight > 1);
  return ({ certainty, part }) => certainty === 'whole' || (certainty === 'typo' ? !whole.has(part) : !hasUnit);
}

function leadOf(fields: HighlightFields): Highlight[] {
  for (const field of leadOrder) {
    const text = fields[field] ?? '';
    const start = text.search(/[^\s\p{Cc}]/u);
    if (start < 0) continue;
    const { text: lead } = snippetOf(text.slice(start, start + 2 * snippetLength), []);
    if (lead !== '') return [{ field, text: lead, spans: [] }];
  }
  return [];
}
