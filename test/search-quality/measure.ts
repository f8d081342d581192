import type { Collections } from '#src/stores/collections.ts';
import { searchRowOf } from '#src/stores/search/rows/row.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import type { TextEmbedder } from '#src/domain/ports/models.ts';
import type { QualityDocument } from '#test/search-quality/documents.ts';
import type { QualityQuery } from '#test/search-quality/queries.ts';

export const qualityTenant = { organizationId: 'org_quality', projectIds: ['prj_quality'] } as const;
const depth = 10;

/** Ids, best first. */
export type Ranker = (text: string) => Promise<readonly string[]>;

export interface Measured extends QualityQuery {
  readonly ndcg: number;
  readonly ids: readonly string[];
}

/** Järvelin and Kekäläinen's nDCG of the first ten: gain 2^grade - 1, discount log2(rank + 1); 0 where nothing is relevant. */
export function ndcg(grades: readonly number[], all: readonly number[]): number {
  const sum = (given: readonly number[]): number =>
    given.slice(0, depth).reduce((total, grade, at) => total + (2 ** grade - 1) / Math.log2(at + 2), 0);
  const best = sum(all.toSorted((a, b) => b - a));
  return best === 0 ? 0 : sum(grades) / best;
}

export async function measure(
  documents: readonly QualityDocument[],
  queries: readonly QualityQuery[],
  rank: Ranker,
): Promise<Measured[]> {
  const byId = new Map(documents.map(({ facts }) => [facts.id, facts]));
  const measured: Measured[] = [];
  for (const query of queries) {
    const ids = (await rank(query.text)).slice(0, depth);
    const grades = ids.flatMap((id) => {
      const facts = byId.get(id);
      return facts === undefined ? [] : [query.judge(facts)];
    });
    const all = documents.map(({ facts }) => query.judge(facts));
    measured.push({ ...query, ids, ndcg: ndcg(grades, all) });
  }
  return measured;
}

export function mean(measured: readonly Measured[]): number {
  return measured.reduce((sum, one) => sum + one.ndcg, 0) / measured.length;
}

/** Mean by group, in the order of the groups. */
export function byGroup(measured: readonly Measured[]): Map<string, number> {
  const groups = Map.groupBy(measured, ({ group }) => group);
  return new Map([...groups].map(([name, some]) => [name, mean(some)]));
}

/** The documents as the default workflow stores them. */
export async function loadQualityDocuments(
  { searchRecords }: Pick<Collections, 'searchRecords'>,
  documents: readonly QualityDocument[],
  embedder: TextEmbedder,
): Promise<void> {
  const rows = documents.map(async ({ facts, title, description, ocrText }, at) => {
    const { vector } = await embedder.embedDocument([title, description, ocrText].join('\n'));
    return searchRowOf({
      documentId: facts.id,
      organizationId: qualityTenant.organizationId,
      projectId: qualityTenant.projectIds[0],
      apiKeyId: null,
      visibility: 'private',
      objectKey: `uploads/org_quality/prj_quality/${facts.id}.png`,
      createdAt: new Date(1_700_000_000_000 + at),
      title,
      description,
      ocrText,
      segmentationText: '',
      identifiers: identifiersOf([title, ocrText].join('\n')),
      embeddings: { text: { label: embedder.label, vector } },
    });
  });
  await searchRecords.insertMany(await Promise.all(rows));
}
