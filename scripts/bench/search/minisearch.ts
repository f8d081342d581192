import MiniSearch from 'minisearch';
import type { QualityDocument } from '#test/search-quality/documents.ts';
import type { Ranker } from '#test/search-quality/measure.ts';

/** The library with its defaults over the same three fields. */
export function miniSearchOver(documents: readonly QualityDocument[]): Ranker {
  const index = new MiniSearch({ fields: ['title', 'description', 'ocrText'] });
  index.addAll(
    documents.map(({ facts, title, description, ocrText }) => ({ id: facts.id, title, description, ocrText })),
  );
  return async (text) => index.search(text).map(({ id }) => id as string);
}
