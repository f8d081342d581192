import type { Tenant } from '#src/domain/access/tenant.ts';
import type { WorkflowRecord, WorkflowVersionRecord } from '#src/domain/runs/workflow.ts';

export interface WorkflowStore {
  insert(workflow: WorkflowRecord, version: WorkflowVersionRecord): Promise<void>;
  find(tenant: Tenant, id: string): Promise<WorkflowRecord | null>;
  /** Published ones of the tenant's projects, by name. */
  listPublished(tenant: Tenant): Promise<readonly WorkflowRecord[]>;
  findVersion(organizationId: string, workflowId: string, version: number): Promise<WorkflowVersionRecord | null>;
  /** Over all tenants: followers of a code-defined workflow, for boot. */
  listByCodeName(codeName: string): Promise<readonly WorkflowRecord[]>;
  /** Adds the version and makes it the published one, unless the hash is published already. */
  publish(workflow: WorkflowRecord, version: WorkflowVersionRecord): Promise<void>;
  delete(tenant: Tenant, id: string): Promise<boolean>;
}
