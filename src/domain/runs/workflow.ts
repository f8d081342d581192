import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** A workflow: its name, and which of its immutable versions runs. `code` workflows follow the program's own text. */
export interface WorkflowRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string;
  readonly source: 'stored' | 'code';
  /** Name in the registry of code-defined workflows; null for stored ones. */
  readonly codeName: string | null;
  readonly publishedVersion: number | null;
  readonly publishedHash: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Frozen when published; `graphHash` is the SHA-256 of its canonical JSON without layout. `_id` is `<workflowId>@<version>`. */
export interface WorkflowVersionRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly workflowId: string;
  readonly version: number;
  readonly graphHash: string;
  readonly graph: StoredGraph;
  readonly createdAt: Date;
  readonly createdBy: string;
}
