import type { Filter } from 'mongodb';
import type { DocumentStatus } from '#src/contracts/lists/document-filter.ts';
import type { DocumentRecord, Visibility } from '#src/domain/documents/document.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';

/** Conditions on documents of a list. A document must meet all of them. */
export interface DocumentSelection {
  /** Key that uploaded the document. */
  readonly apiKeyId?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  readonly contentType?: readonly DocumentRecord['contentType'][] | undefined;
  readonly status?: readonly DocumentStatus[] | undefined;
  readonly minConfidence?: number | undefined;
  readonly maxConfidence?: number | undefined;
  readonly workflowId?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly hasText?: boolean | undefined;
  readonly tag?: string | undefined;
  readonly sha256?: readonly string[] | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** Matches documents that are not being deleted. */
export const noDate = { $exists: false };

/** Documents of the tenant's own projects. */
export const owned = (tenant: Tenant): Filter<DocumentRecord> => {
  const [only, ...more] = tenant.projectIds;
  return {
    organizationId: tenant.organizationId,
    deletedAt: noDate,
    projectId: only !== undefined && more.length === 0 ? only : { $in: [...tenant.projectIds] },
  };
};

/** Bounds of a range; null without any. */
function range(least: unknown, most: { readonly $lt?: unknown; readonly $lte?: unknown }): object | null {
  const bounds = { $gte: least, ...most };
  const given = Object.entries(bounds).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

const date = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

/** null stands for a missing field, which an index has too. */
const statusesOf = (statuses: readonly DocumentStatus[]): unknown[] =>
  statuses.map((status) => (status === 'none' ? null : status));

/** Conditions of a selection as filters of their own. */
function conditions(asked: DocumentSelection): object[] {
  const created = range(date(asked.createdAfter), { $lt: date(asked.createdBefore) });
  const confidence = range(asked.minConfidence, { $lte: asked.maxConfidence });
  const { contentType = [], status = [], hasText } = asked;
  return [
    ...(created === null ? [] : [{ createdAt: created }]),
    ...(confidence === null ? [] : [{ 'ocr.avgConfidence': confidence }]),
    ...(contentType.length === 0 ? [] : [{ contentType: { $in: [...contentType] } }]),
    ...(status.length === 0 ? [] : [{ 'latestRun.status': { $in: statusesOf(status) } }]),
    ...(hasText === undefined ? [] : [{ 'ocr.characters': hasText ? { $gt: 0 } : { $in: [0, null] } }]),
  ];
}

/** Documents of the tenant's own projects that meet all conditions, and `more`. */
export function selected(
  tenant: Tenant,
  asked: DocumentSelection,
  more: readonly object[] = [],
): Filter<DocumentRecord> {
  const { apiKeyId, workflowId, visibility, tag, sha256, ids } = asked;
  const all = [...conditions(asked), ...more];
  return {
    ...owned(tenant),
    ...(apiKeyId !== undefined && { apiKeyId }),
    ...(workflowId !== undefined && { 'latestRun.workflowId': workflowId }),
    ...(visibility !== undefined && { visibility }),
    ...(tag !== undefined && { tags: tag }),
    ...(sha256 !== undefined && { sha256: { $in: [...sha256] } }),
    ...(ids !== undefined && { _id: { $in: [...ids] } }),
    ...(all.length > 0 && { $and: all }),
  };
}
