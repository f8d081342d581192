import { LRUCache } from 'lru-cache';
import type { ResultStore } from '#src/stores/results.ts';

type Read<Result> = (organizationId: string, id: string) => Promise<Result | null>;

/** Limit on the characters and bytes of results that are kept for one run. */
const usualMost = 2 * 1024 * 1024;

/**
 * Store that keeps the results which one run stores and reads, so that its nodes share a read of each. A result never changes: a correction
 * has an id of its own.
 */
export function createRunResults(results: ResultStore, most = usualMost): ResultStore {
  const kept = new LRUCache<string, object>({ maxSize: most });
  const keep = <Result extends object>(id: string, result: Result, size: number): Result => {
    // lru-cache takes no size of 0, and leaves out what is larger than all of it.
    kept.set(id, result, { size: Math.max(1, size) });
    return result;
  };
  const sharing =
    <Result extends object>(read: Read<Result>, sizeOf: (result: Result) => number): Read<Result> =>
    async (organizationId, id) => {
      const known = kept.get(id);
      if (known !== undefined) return known as Result;
      const found = await read(organizationId, id);
      return found === null ? null : keep(id, found, sizeOf(found));
    };
  const sizes = {
    text: ({ text }: { readonly text: string }) => text.length,
    description: ({ value }: { readonly value: object }) => JSON.stringify(value).length,
    vector: ({ vector }: { readonly vector: Float32Array }) => vector.byteLength,
  };
  return {
    ...results,
    saveOcr: async (origin, result) => {
      const saved = await results.saveOcr(origin, result);
      return keep(saved.ocrResultId, saved, sizes.text(saved));
    },
    saveDescription: async (origin, result) => {
      const saved = await results.saveDescription(origin, result);
      return keep(saved.descriptionId, saved, sizes.description(saved));
    },
    saveEmbedding: async (origin, result) => {
      const saved = await results.saveEmbedding(origin, result);
      return keep(saved.embeddingId, saved, sizes.vector(saved));
    },
    ocrText: sharing((organizationId, id) => results.ocrText(organizationId, id), sizes.text),
    descriptionById: sharing((organizationId, id) => results.descriptionById(organizationId, id), sizes.description),
    embeddingById: sharing((organizationId, id) => results.embeddingById(organizationId, id), sizes.vector),
  };
}
