import type { ApiKeyRecord } from '#src/domain/access/api-key.ts';

/**
 * Keys by hash. Lookup is never cached, so that revoking works at once. A key with a grant reads as revoked when its grant is, or is
 * gone. Source: identity.md "API keys".
 */
export interface ApiKeyStore {
  insert(key: ApiKeyRecord): Promise<void>;
  /** The only query without a tenant: it is what tells the tenant. */
  findByHash(hash: string): Promise<ApiKeyRecord | null>;
  find(organizationId: string, id: string): Promise<ApiKeyRecord | null>;
  /** Newest first, at most 1,000; of all projects where none is named. */
  list(organizationId: string, projectIds?: readonly string[]): Promise<readonly ApiKeyRecord[]>;
  /** Keys that are not revoked and run this workflow, at most `limit`. */
  listBound(organizationId: string, workflowId: string, limit: number): Promise<readonly ApiKeyRecord[]>;
  /** False when there is no such live key. */
  revoke(organizationId: string, id: string, at: Date): Promise<boolean>;
  replace(organizationId: string, id: string, replacedBy: string, graceUntil: Date): Promise<boolean>;
  touch(organizationId: string, id: string, at: Date): Promise<void>;
}
