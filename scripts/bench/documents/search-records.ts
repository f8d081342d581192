import type { Collections } from '#src/stores/collections.ts';
import { searchRowOf, type SearchRow } from '#src/stores/search/rows/row.ts';
import { createLexicalEmbedder } from '#src/adapters/models/local/lexical-embedder.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { numbersFrom } from '#scripts/bench/documents/made-up.ts';

const wordsEach = 300;
const vocabulary = 20_000;
const batch = 500;
const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zy'.split(' ');

/** 0..1. */
type Draw = () => number;

function drawsFrom(seed: number): Draw {
  const next = numbersFrom(seed);
  return () => next(1_000_000) / 1_000_000;
}

/** The `rank`-th word: pronounceable, so that its letters are shared with others as those of real words are. */
function wordAt(rank: number): string {
  let rest = rank + syllables.length;
  let word = '';
  for (; rest > 0; rest = Math.floor(rest / syllables.length)) word += syllables[rest % syllables.length];
  return word;
}

/** Words as rare and as common as in real texts: the k-th one is about 1 / k as frequent as the first. */
function wordsFrom(next: Draw, count: number): string {
  return Array.from({ length: count }, () => wordAt(Math.floor(vocabulary ** next()) - 1)).join(' ');
}

/** The `index`-th question: `count` words of which the documents have some. */
export function searchText(index: number, count = 3): string {
  const next = drawsFrom(1_000_003 + index);
  return Array.from({ length: count }, () => wordAt(Math.floor(50 + (vocabulary / 10) * next()))).join(' ');
}

export interface MadeUpRecords {
  /** In turn. */
  readonly organizations: readonly string[];
  readonly projectId?: string;
  /** Words of the recognized text. */
  readonly words?: number;
  readonly idAt?: (index: number) => string;
}

/**
 * Fills `searchRecords` with made-up documents of about 300 words with their local embeddings, in turn for each of `organizations`,
 * all in one project. The same for the same numbers.
 */
export async function loadSearchRecords(
  { searchRecords }: Pick<Collections, 'searchRecords'>,
  { from = 0, to }: { readonly from?: number; readonly to: number },
  { organizations, projectId = 'project-1', words = wordsEach, idAt = (index) => `document-${index}` }: MadeUpRecords,
): Promise<void> {
  const embedder = createLexicalEmbedder();
  const rowAt = async (index: number): Promise<SearchRow> => {
    const next = drawsFrom(index + 1);
    const [title, description, text] = [5, 30, words].map((length) => wordsFrom(next, length)) as [
      string,
      string,
      string,
    ];
    const ocrText = `${text} INV-${100_000 + index}`;
    const { vector } = await embedder.embedDocument([title, description, ocrText].join('\n'));
    const documentId = idAt(index);
    return searchRowOf({
      documentId,
      organizationId: organizations[index % organizations.length] ?? '',
      projectId,
      apiKeyId: null,
      visibility: 'private',
      objectKey: `uploads/${documentId}.png`,
      createdAt: new Date(1_700_000_000_000 + index * 1_000),
      title,
      description,
      ocrText,
      segmentationText: '',
      identifiers: identifiersOf(ocrText),
      embeddings: { text: { label: embedder.label, vector } },
    });
  };
  for (let at = from; at < to; at += batch) {
    const rows = Array.from({ length: Math.min(batch, to - at) }, (_, n) => rowAt(at + n));
    await searchRecords.insertMany(await Promise.all(rows), { ordered: false });
  }
}
