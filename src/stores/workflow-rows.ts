import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { WorkflowDraftRecord, WorkflowEdit, WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';

/**
 * Graphs and operations are stored as JSON text. As BSON, `$ref` beside `$id`, `_bsontype` or a lone surrogate in a config would come back
 * changed, and so would the graph's hash.
 */
type JsonText = string;

interface EditRow extends Omit<WorkflowEdit, 'operations'> {
  readonly operations: JsonText;
}

/** `_id` is `<workflowId>@<revision>`. */
export interface WorkflowEditRow extends EditRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly workflowId: string;
}

export interface WorkflowDraftRow extends Omit<WorkflowDraftRecord, 'graph' | 'lastEdit'> {
  readonly graph: JsonText;
  readonly lastEdit: EditRow;
}

type VersionFields = Omit<WorkflowVersionRecord, 'graph'>;

/** Versions that are older than drafts have the graph as an object, and `createdBy` and `createdAt` for author and time. */
export interface WorkflowVersionRow extends Partial<VersionFields> {
  readonly _id: string;
  readonly organizationId: string;
  readonly workflowId: string;
  readonly version: number;
  readonly graphHash: string;
  readonly graph: JsonText | StoredGraph;
  readonly createdBy?: string;
  readonly createdAt?: Date;
}

function editRow({ operations, ...edit }: WorkflowEdit): EditRow {
  return { ...edit, operations: JSON.stringify(operations) };
}

export function readEdit({ revision, operations, author, surface, note, at }: EditRow): WorkflowEdit {
  return { revision, operations: JSON.parse(operations) as Operation[], author, surface, note, at };
}

export function draftRow(draft: WorkflowDraftRecord): WorkflowDraftRow {
  return { ...draft, graph: JSON.stringify(draft.graph), lastEdit: editRow(draft.lastEdit) };
}

export function readDraft(row: WorkflowDraftRow): WorkflowDraftRecord {
  return { ...row, graph: JSON.parse(row.graph) as StoredGraph, lastEdit: readEdit(row.lastEdit) };
}

export function versionRow(version: WorkflowVersionRecord): WorkflowVersionRow {
  return { ...version, graph: JSON.stringify(version.graph) };
}

export function readVersion({ graph, ...row }: WorkflowVersionRow): WorkflowVersionRecord {
  return { ...readVersionFields(row), graph: typeof graph === 'string' ? (JSON.parse(graph) as StoredGraph) : graph };
}

export function readVersionFields(row: Omit<WorkflowVersionRow, 'graph'>): VersionFields {
  const { _id, organizationId, workflowId, version, graphHash } = row;
  return {
    _id,
    organizationId,
    workflowId,
    version,
    graphHash,
    fromRevision: row.fromRevision ?? null,
    author: row.author ?? row.createdBy ?? 'code',
    surface: row.surface ?? 'code',
    note: row.note ?? null,
    at: row.at ?? row.createdAt ?? new Date(0),
    ...(row.evidence === undefined ? {} : { evidence: row.evidence }),
  };
}
