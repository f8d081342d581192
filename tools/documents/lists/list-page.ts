import type { z } from 'zod';
import { bounded } from '#src/contracts/lists/count.ts';
import {
  facetBounds,
  type CountedDocuments,
  type DocumentFacet,
  type DocumentFacets,
  type DocumentFilter,
  type DocumentNumbers,
  type DocumentOrder,
  type RecordConditions,
} from '#src/contracts/lists/document-filter.ts';
import { projectFor, type Principal } from '#src/domain/access/principal.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { orderOf, placeOf, type DocumentPlace } from '#src/domain/documents/list-order.ts';
import type { DocumentSelection } from '#src/stores/lists/document-selection.ts';
import type { FacetCounts } from '#src/stores/lists/document-lists.ts';
import type { ToolContext } from '#tools/define.ts';
import { idsByRecords } from '#tools/documents/lists/by-records.ts';

type Filter = z.output<typeof DocumentFilter> &
  z.output<typeof RecordConditions> & { readonly sha256?: readonly string[] | undefined };
export type AskedDocuments = Filter &
  z.output<typeof DocumentOrder> &
  z.output<typeof DocumentNumbers> & { readonly limit: number; readonly cursor?: string | undefined };
type Numbers = z.input<typeof CountedDocuments>;
type Reader = Pick<Principal, 'organizationId' | 'projectIds'>;

/** Conditions of a list in fixed order, without those that are not given. */
const filterNames = [
  'createdAfter',
  'createdBefore',
  'contentType',
  'status',
  'minConfidence',
  'maxConfidence',
  'workflowId',
  'apiKeyId',
  'visibility',
  'hasText',
  'tag',
  'sha256',
] as const;

/** The conditions of a list on documents themselves. An empty list of values is no condition. */
function conditionsOf(asked: Filter): DocumentSelection {
  const given = filterNames.flatMap((name) => {
    const value = asked[name];
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as DocumentSelection;
}

type Choosing = Pick<ToolContext<'recordTypes' | 'records'>, 'deps' | 'principal'>;

/**
 * The conditions of a list, but for the project, which chooses the tenant. Those on records become the ids of their documents. `at`: place of the filter in the request. Errors:
 * `request.invalid`, `record_type.not_found`, `project.not_found`.
 */
export async function selectionOf(ctx: Choosing, asked: Filter, at = ''): Promise<DocumentSelection> {
  const ids = await idsByRecords(ctx, asked, at);
  return { ...conditionsOf(asked), ...(ids !== null && { ids }) };
}

export const isNarrow = (selection: DocumentSelection): boolean => Object.keys(selection).length > 0;

/** The projects that a list shows: all of the caller's, or the one that was asked for. Error: `project.not_found`. */
export function listedBy(principal: Principal, projectId: string | undefined): Reader {
  const { organizationId, projectIds } = principal;
  return { organizationId, projectIds: projectId === undefined ? projectIds : [projectFor(principal, projectId)] };
}

const encodePlace = (place: DocumentPlace): string =>
  Buffer.from(JSON.stringify([place.value, place.id])).toString('base64url');

/** Signed cursors have places of this program only. */
function decodePlace(token: string): DocumentPlace {
  const [value, id] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [DocumentPlace['value'], string];
  return { value, id };
}

/** One page of a list, whose `selection` is that of `asked`: its records and the cursor of the next page. Errors: `request.cursor_invalid`, `project.not_found`. */
export async function listPage(
  { deps, principal }: Pick<ToolContext<'cursorSecret' | 'documents'>, 'deps' | 'principal'>,
  { list, selection }: { readonly list: string; readonly selection: DocumentSelection },
  { limit, cursor, projectId, ...asked }: Omit<AskedDocuments, 'total' | 'facets'>,
): Promise<{ readonly records: readonly DocumentRecord[]; readonly nextCursor: string | null }> {
  const tenant = listedBy(principal, projectId);
  const order = orderOf(asked.sort, asked.order);
  // The projects of a session are not bound to the cursor: one that is added between two pages must not invalidate it.
  const place = principal.session === null ? tenant.projectIds : (projectId ?? null);
  // The filter is bound, not the ids of its documents: a record that comes between two pages must not invalidate the cursor.
  const { recordType, record } = asked;
  const records = recordType === undefined ? [] : [recordType, record ?? {}];
  const binding = JSON.stringify([list, tenant.organizationId, place, conditionsOf(asked), order, ...records]);
  const after = cursor === undefined ? null : decodePlace(decodeCursor(deps.cursorSecret, binding, cursor).id);
  // Reads one more than asked for, to know if there is a next page.
  const found = await deps.documents.list(tenant, { selection, order }, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  if (last === undefined) return { records: page, nextCursor: null };
  const position = { createdAt: last.createdAt, id: encodePlace(placeOf(last, order)) };
  return { records: page, nextCursor: encodeCursor(deps.cursorSecret, binding, position) };
}

/** Filter that a facet shows the values of. */
const filterOfFacet: Readonly<Record<DocumentFacet, keyof DocumentSelection | null>> = {
  type: 'contentType',
  status: 'status',
  visibility: 'visibility',
  project: null,
  workflow: 'workflowId',
  key: 'apiKeyId',
};

function presentFacet({ values, counted }: FacetCounts): NonNullable<DocumentFacets['type']> {
  const all = [...values].map(([value, count]) => ({ value, count }));
  const sorted = all.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  const relation = counted > facetBounds.documents ? 'gte' : 'eq';
  return { values: sorted.slice(0, facetBounds.values), relation };
}

/** Facets whose own filter is set are counted without it; the others share one query. */
async function facetsOf(
  { deps, principal }: Pick<ToolContext<'documents'>, 'deps' | 'principal'>,
  asked: Pick<AskedDocuments, 'projectId' | 'facets'>,
  selection: DocumentSelection,
): Promise<DocumentFacets> {
  const { facets = [], projectId } = asked;
  const groups = Map.groupBy(facets, (facet) => {
    if (facet === 'project') return projectId === undefined ? '' : facet;
    const own = filterOfFacet[facet];
    return own === null || selection[own] === undefined ? '' : facet;
  });
  const counted = await Promise.all(
    [...groups].map(([alone, these]) => {
      const tenant = listedBy(principal, alone === 'project' ? undefined : projectId);
      const own = alone === '' ? null : filterOfFacet[alone];
      const rest = own === null ? selection : { ...selection, [own]: undefined };
      return deps.documents.countFacets(tenant, rest, these);
    }),
  );
  const shown = counted.flatMap((counts) => [...counts].map(([facet, found]) => [facet, presentFacet(found)]));
  return Object.fromEntries(shown) as DocumentFacets;
}

/** The numbers that a list was asked for. `total`: the number of matches of a search, which the list does not know. */
export async function numbersOf(
  ctx: Pick<ToolContext<'documents'>, 'deps' | 'principal'>,
  asked: Pick<AskedDocuments, 'projectId' | 'facets' | 'total'>,
  { selection, total }: { readonly selection: DocumentSelection; readonly total?: Numbers['total'] },
): Promise<Numbers> {
  const count = async (): Promise<NonNullable<Numbers['total']>> =>
    bounded(await ctx.deps.documents.countMatching(listedBy(ctx.principal, asked.projectId), selection));
  const [counted, facets] = await Promise.all([
    asked.total === true ? (total ?? count()) : undefined,
    (asked.facets ?? []).length > 0 ? facetsOf(ctx, asked, selection) : undefined,
  ]);
  return { ...(counted !== undefined && { total: counted }), ...(facets !== undefined && { facets }) };
}
