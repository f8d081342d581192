import type { StoredGraph, WorkflowTool } from '#src/contracts/resources/graph.ts';
import type { Gate } from '#src/contracts/resources/workflow.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';

/** Author of a change to a workflow, with surface, note and time. */
export interface Authorship {
  /** Key id, user id, `cli` or `code`. */
  readonly author: string;
  readonly surface: 'mcp' | 'rest' | 'code' | 'cli';
  readonly note: string | null;
  readonly at: Date;
}

/** A workflow as an MCP tool, as it is stored. The schema is JSON text, since BSON changes `$ref`. */
interface ToolRecord extends Omit<WorkflowTool, 'input'> {
  readonly inputJson: string;
}

export const storedTool = ({ input, ...tool }: WorkflowTool): ToolRecord => ({
  ...tool,
  inputJson: JSON.stringify(input),
});

export const readTool = ({ inputJson, ...tool }: ToolRecord): WorkflowTool => ({
  ...tool,
  input: JSON.parse(inputJson) as WorkflowTool['input'],
});

/** A workflow: its name and its published version. `code` workflows are defined in the program. */
export interface WorkflowRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  /** Name in the published version, or in the draft before the first one. */
  readonly name: string;
  readonly description: string;
  readonly source: 'stored' | 'code';
  /** Name in the registry of workflows in code; null for stored ones. */
  readonly codeName: string | null;
  readonly publishedVersion: number | null;
  readonly publishedHash: string | null;
  /** The published version as an MCP tool; absent: it is none. */
  readonly tool?: ToolRecord;
  /** Proof that the next version needs; absent: none. */
  readonly gate?: Gate;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The proof on which a version was published: an experiment, or the reason of an owner who went without one. */
export interface Evidence {
  readonly experimentId: string | null;
  readonly sentence: string;
}

/** A published, immutable version. `_id` is `<workflowId>@<version>`; `graphHash` is the SHA-256 of its canonical JSON without layout. */
export interface WorkflowVersionRecord extends Authorship {
  readonly _id: string;
  readonly organizationId: string;
  readonly workflowId: string;
  readonly version: number;
  readonly graphHash: string;
  readonly graph: StoredGraph;
  /** Revision of the published draft; null for code. */
  readonly fromRevision: number | null;
  readonly evidence?: Evidence;
}

/** One saved edit of a draft: the operations from `revision - 1` to `revision`. */
export interface WorkflowEdit extends Authorship {
  readonly revision: number;
  readonly operations: readonly Operation[];
}

/**
 * The draft of a stored workflow; `_id` is that of the workflow. `graph` is JSON that can have errors. `lastEdit` is written together with
 * its graph, and copied to the edit log before the next edit replaces it.
 */
export interface WorkflowDraftRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** Counted from 1. */
  readonly revision: number;
  readonly graph: StoredGraph;
  readonly graphHash: string;
  readonly lastEdit: WorkflowEdit;
}

/**
 * The number a graph is published under. `newest` is the newest stored version: a process that died while publishing leaves one that was
 * never published. The same graph takes up that version; another graph passes over its number.
 */
export function nextVersion(
  { publishedVersion }: Pick<WorkflowRecord, 'publishedVersion'>,
  newest: Pick<WorkflowVersionRecord, 'version' | 'graphHash'> | undefined,
  graphHash: string,
): number {
  if (newest === undefined) return (publishedVersion ?? 0) + 1;
  const left = newest.version > (publishedVersion ?? 0) && newest.graphHash === graphHash;
  return left ? newest.version : newest.version + 1;
}
