import { Binary } from 'mongodb';
import type { Collections } from '#src/stores/collections.ts';
import type { SearchRow } from '#src/stores/search/rows/row.ts';

/** A search record whose text vector has another label. The texts are those that the vector is made of. */
export type OtherEmbedding = Pick<SearchRow, '_id' | 'organizationId' | 'title' | 'description' | 'ocrText'> & {
  readonly label: string;
};

/** Search records whose text vectors come from another embedder, over all organizations. */
export function createOtherEmbeddings({ searchRecords }: Pick<Collections, 'searchRecords'>) {
  return {
    /** At most `limit` records after this id, in the order of ids, and the place to continue at; null: the end. */
    async listAfter(
      after: string,
      label: string,
      { limit, characters }: { readonly limit: number; readonly characters: number },
    ): Promise<{ readonly rows: readonly OtherEmbedding[]; readonly next: string | null }> {
      const place = searchRecords.find({ _id: { $gt: after } }, { projection: { 'embedding.text.label': 1 } });
      const looked = await place.sort({ _id: 1 }).limit(limit).toArray();
      const labels = new Map(looked.map(({ _id, embedding }) => [_id, embedding.text?.label]));
      const ids = [...labels].flatMap(([id, one]) => (one === undefined || one === label ? [] : [id]));
      const next = looked.length < limit ? null : (looked.at(-1)?._id ?? null);
      if (ids.length === 0) return { rows: [], next };
      const ocrText = { $substrCP: ['$ocrText', 0, characters] };
      const found = await searchRecords
        .aggregate<Omit<OtherEmbedding, 'label'>>([
          { $match: { _id: { $in: ids } } },
          { $project: { organizationId: 1, title: 1, description: 1, ocrText } },
        ])
        .toArray();
      return { rows: found.map((row) => ({ ...row, label: labels.get(row._id) ?? '' })), next };
    },
    /** Replaces the vector, unless the document was indexed again meanwhile. A zero vector is removed. */
    async replace(
      { _id, organizationId, label: former }: Pick<OtherEmbedding, '_id' | 'organizationId' | 'label'>,
      { label, vector }: { readonly label: string; readonly vector: Float32Array },
    ): Promise<boolean> {
      const change = vector.some((value) => value !== 0)
        ? { $set: { 'embedding.text': { label, vector: Binary.fromFloat32Array(vector) } } }
        : { $unset: { 'embedding.text': '' } as const };
      const filter = { _id, organizationId, 'embedding.text.label': former };
      return (await searchRecords.updateOne(filter, change)).modifiedCount === 1;
    },
  };
}

export type OtherEmbeddings = ReturnType<typeof createOtherEmbeddings>;
