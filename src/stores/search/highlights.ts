import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { SearchRow } from '#src/stores/search/rows/row.ts';
import { readable } from '#src/stores/search/retrievers.ts';
import { createHighlighter, type FoundHighlight, type HighlightDocument } from '#src/domain/search/highlight.ts';
import type { HighlightQuery } from '#src/stores/search/query.ts';

/** Limits on the characters read for one response and for one document: long documents must not delay it. */
const charactersOfAnswer = 4_000_000;
const charactersOfDocument = 1_000_000;

type Texts = Pick<
  SearchRow,
  '_id' | 'objectKey' | 'title' | 'description' | 'ocrText' | 'segmentationText' | 'filename' | 'recordText'
>;

const textsOf = ({ title, description, objectKey, filename = '' }: Omit<Texts, '_id' | 'ocrText'>) => ({
  title,
  description,
  objectKey,
  filename,
});

/** Words whose stems are remembered, and the longest: documents of a project have most of their words in common. */
const rememberedStems = { words: 10_000, letters: 40 } as const;

/** Loads the stemmers, which take 2 MB of each process. */
async function loadHighlighter(): Promise<(query: string) => HighlightDocument> {
  const { newStemmer } = await import('snowball-stemmers');
  const stemmer = newStemmer('porter');
  const stems = new LRUCache<string, string>({ max: rememberedStems.words });
  return createHighlighter((word) => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    const stem = stemmer.stem(word);
    if (word.length <= rememberedStems.letters) stems.set(word, stem);
    return stem;
  });
}

/** Highlights of stored fields, read in one query without the vectors. Uses the Porter stemmer, as `lucene.english` does. */
export function createHighlights(searchRecords: Collection<SearchRow>) {
  let highlighter: ReturnType<typeof loadHighlighter> | undefined;
  return async ({
    text,
    documentIds,
    ...scope
  }: HighlightQuery): Promise<ReadonlyMap<string, readonly FoundHighlight[]>> => {
    if (documentIds.length === 0) return new Map();
    const most = Math.min(charactersOfDocument, Math.floor(charactersOfAnswer / documentIds.length));
    const rows = await searchRecords
      .aggregate<Texts>([
        { $match: { $and: [{ _id: { $in: [...documentIds] } }, ...readable({ scope })] } },
        {
          $project: {
            objectKey: 1,
            title: 1,
            description: 1,
            segmentationText: 1,
            filename: 1,
            recordText: 1,
            ocrText: { $substrCP: ['$ocrText', 0, most] },
          },
        },
      ])
      .toArray();
    const highlight = await (highlighter ??= loadHighlighter());
    const of = highlight(text);
    return new Map(
      rows.map(({ _id, ocrText: ocr, segmentationText: segmentation = '', recordText: records = '', ...row }) => [
        _id,
        of({ ...textsOf(row), ocr, segmentation, records }),
      ]),
    );
  };
}
