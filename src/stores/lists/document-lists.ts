import type { Document } from 'mongodb';
import { countMax } from '#src/contracts/lists/count.ts';
import { facetBounds, type DocumentFacet, type DocumentSort } from '#src/contracts/lists/document-filter.ts';
import type { Collections } from '#src/stores/collections.ts';
import { selected, type DocumentSelection } from '#src/stores/lists/document-selection.ts';
import type { DocumentOrder, DocumentPlace } from '#src/domain/documents/list-order.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';

export interface DocumentQuestion {
  readonly selection: DocumentSelection;
  readonly order: DocumentOrder;
}

/** Numbers of documents by the values of a facet. `counted`: documents that were looked at, one more than the bound if there are more. */
export interface FacetCounts {
  readonly values: ReadonlyMap<string, number>;
  readonly counted: number;
}

const paths: Readonly<Record<DocumentSort, string>> = {
  created: 'createdAt',
  name: 'filename',
  size: 'sizeBytes',
  confidence: 'ocr.avgConfidence',
};

/** Documents behind a place. A document without a value stands before all values. */
function behind({ sort, descending }: DocumentOrder, { value: placed, id }: DocumentPlace): object {
  const path = paths[sort];
  const beyond = descending ? '$lt' : '$gt';
  const value = sort === 'created' ? new Date(Number(placed)) : placed;
  const ties = { [path]: value, _id: { [beyond]: id } };
  if (value === null) return { $or: descending ? [ties] : [ties, { [path]: { $ne: null } }] };
  // The bound beside the alternatives lets the index start there.
  if (sort === 'created' || sort === 'size')
    return { [path]: { [`${beyond}e`]: value }, $or: [{ [path]: { [beyond]: value } }, { _id: { [beyond]: id } }] };
  return { $or: [{ [path]: { [beyond]: value } }, ties, ...(descending ? [{ [path]: null }] : [])] };
}

const facetPaths: Readonly<Record<DocumentFacet, string>> = {
  type: '$contentType',
  status: '$latestRun.status',
  visibility: '$visibility',
  project: '$projectId',
  workflow: '$latestRun.workflowId',
  key: '$apiKeyId',
};

type FacetGroup = { readonly _id: Partial<Record<DocumentFacet, string | null>>; readonly count: number };

function countsOf(facet: DocumentFacet, groups: readonly FacetGroup[]): FacetCounts {
  const values = new Map<string, number>();
  let counted = 0;
  for (const { _id, count } of groups) {
    counted += count;
    const value = _id[facet] ?? (facet === 'status' ? 'none' : null);
    if (value !== null) values.set(value, (values.get(value) ?? 0) + count);
  }
  return { values, counted };
}

/** Lists and counts of documents of the tenant's own projects. Source: docs/decisions/0156. */
export const createDocumentLists = (documents: Collections['documents']) => ({
  /** One page of a list. `after`: the last document of the page before. */
  list(
    tenant: Tenant,
    { selection, order }: DocumentQuestion,
    after: DocumentPlace | null,
    limit: number,
  ): Promise<readonly DocumentRecord[]> {
    const way = order.descending ? -1 : 1;
    return documents
      .find(selected(tenant, selection, after === null ? [] : [behind(order, after)]))
      .sort({ [paths[order.sort]]: way, _id: way })
      .limit(limit)
      .toArray();
  },
  /** Ids of documents, newest first, at most `limit`. */
  async listIds(tenant: Tenant, selection: DocumentSelection, limit: number): Promise<readonly string[]> {
    const found = await documents
      .find(selected(tenant, selection), { projection: { _id: 1 } })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
    return found.map((document) => document._id);
  },
  /** Number of documents, counted up to `most`; by default one more than the largest exact count. */
  countMatching: (tenant: Tenant, selection: DocumentSelection, most = countMax + 1): Promise<number> =>
    documents.countDocuments(selected(tenant, selection), { limit: most }),
  /** Counts the values of facets among the newest documents that match. One query, whatever the number of facets. */
  async countFacets(
    tenant: Tenant,
    selection: DocumentSelection,
    facets: readonly DocumentFacet[],
  ): Promise<ReadonlyMap<DocumentFacet, FacetCounts>> {
    const stages: Document[] = [
      { $match: selected(tenant, selection) },
      { $sort: { createdAt: -1, _id: -1 } },
      { $limit: facetBounds.documents + 1 },
      { $group: { _id: Object.fromEntries(facets.map((facet) => [facet, facetPaths[facet]])), count: { $sum: 1 } } },
    ];
    const groups = await documents.aggregate<FacetGroup>(stages).toArray();
    return new Map(facets.map((facet) => [facet, countsOf(facet, groups)]));
  },
});
