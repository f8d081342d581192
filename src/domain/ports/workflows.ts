import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ListPosition } from '#src/domain/ports/documents.ts';
import type {
  WorkflowDraftRecord,
  WorkflowEdit,
  WorkflowRecord,
  WorkflowVersionRecord,
} from '#src/domain/runs/workflow.ts';

/** `revision` is the draft's: null where there is none. */
export interface WorkflowState {
  readonly workflowId: string;
  readonly revision: number | null;
  readonly publishedVersion: number | null;
}

/** Workflows, their drafts with every edit, and their immutable versions. Held by test/conformance/workflow-store.ts. */
export interface WorkflowStore {
  /** A workflow with its first version, its first draft, or both. */
  insert(
    workflow: WorkflowRecord,
    first: { readonly version?: WorkflowVersionRecord; readonly draft?: WorkflowDraftRecord },
  ): Promise<void>;
  find(tenant: Tenant, id: string): Promise<WorkflowRecord | null>;
  /** Published ones of the tenant's projects, by name. */
  listPublished(tenant: Tenant): Promise<readonly WorkflowRecord[]>;
  /** All of the tenant's projects, newest first. */
  list(tenant: Tenant, after: ListPosition | null, limit: number): Promise<readonly WorkflowRecord[]>;
  /** Over all tenants: followers of a code-defined workflow, for boot. */
  listByCodeName(codeName: string): Promise<readonly WorkflowRecord[]>;
  /** With all that belongs to it, itself last: a delete that was cut short can be repeated. Keys are the caller's affair. */
  delete(tenant: Tenant, id: string): Promise<boolean>;

  findDraft(organizationId: string, workflowId: string): Promise<WorkflowDraftRecord | null>;
  /**
   * The next revision, if the stored one is still `draft.revision - 1`; false otherwise, and nothing is changed. Until a version is
   * published the workflow takes the draft's name and description.
   */
  saveDraft(draft: WorkflowDraftRecord): Promise<boolean>;
  /** Edits with `revision > after`, oldest first. */
  editsSince(
    organizationId: string,
    workflowId: string,
    after: number,
    limit: number,
  ): Promise<readonly WorkflowEdit[]>;

  findVersion(organizationId: string, workflowId: string, version: number): Promise<WorkflowVersionRecord | null>;
  /** Newest first, without their graphs; versions below `before`. */
  listVersions(
    organizationId: string,
    workflowId: string,
    before: number | null,
    limit: number,
  ): Promise<readonly Omit<WorkflowVersionRecord, 'graph'>[]>;
  /** Where these stand, without their graphs; ids of others are left out. */
  states(organizationId: string, workflowIds: readonly string[]): Promise<readonly WorkflowState[]>;
  /**
   * Adds the version and makes it the published one. False when a version of this number exists already with another graph: somebody
   * published meanwhile. A workflow that has a newer version keeps it.
   */
  publish(workflow: WorkflowRecord, version: WorkflowVersionRecord): Promise<boolean>;
}
