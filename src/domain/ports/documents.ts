import type { DocumentRecord, Visibility } from '#src/domain/documents/document.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';

/** Where in the list to go on: everything strictly older than this, newest first. */
export interface ListPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface DocumentFilter {
  /** Only those uploaded with this key. */
  readonly apiKeyId?: string;
}

export interface DocumentStore {
  /** One durable write; `exists` when this id is stored already. */
  insert(document: DocumentRecord): Promise<'created' | 'exists'>;
  /** Readable by the tenant: of its projects, or public in its organization. */
  find(tenant: Tenant, id: string): Promise<DocumentRecord | null>;
  /** For holders of a signed address only. */
  findInOrganization(organizationId: string, id: string): Promise<DocumentRecord | null>;
  findMany(tenant: Tenant, ids: readonly string[]): Promise<readonly DocumentRecord[]>;
  /** Of the tenant's own projects, newest first. */
  list(
    tenant: Tenant,
    filter: DocumentFilter,
    after: ListPosition | null,
    limit: number,
  ): Promise<readonly DocumentRecord[]>;
  /** Ids of the tenant's own projects, newest first, at most `limit`. */
  listIds(tenant: Tenant, filter: DocumentFilter, limit: number): Promise<readonly string[]>;
  /** Project by document, of those of `ids` that the tenant may read. */
  projectsOf(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** How many of `ids` the tenant may read. */
  countReadable(tenant: Tenant, ids: readonly string[]): Promise<number>;
  /** How many of `ids` belong to the tenant's own projects. */
  countOwned(tenant: Tenant, ids: readonly string[]): Promise<number>;
  /**
   * Marks it as being deleted, with its event in the outbox and without its words, in one write; null when it is not the tenant's own.
   */
  markDeleted(tenant: Tenant, id: string, at: Date): Promise<DocumentRecord | null>;
  /** What runs made from it, of whatever project. */
  derivedFrom(organizationId: string, id: string): Promise<readonly DocumentRecord[]>;
  /** Its removal is taken up again at `until`: the entry of one that is marked is not pending before. */
  postponeRemoval(organizationId: string, id: string, until: Date): Promise<void>;
  /** The last of a deletion: the record itself, of one that is marked. */
  remove(organizationId: string, id: string): Promise<void>;
  setVisibility(tenant: Tenant, ids: readonly string[], visibility: Visibility): Promise<void>;
  /** The outbox, over all tenants: documents with events that nobody has relayed and that are due, oldest first. */
  withPendingEvents(limit: number, now?: Date): Promise<readonly DocumentRecord[]>;
  /** All but those of a deletion, which end with the record. */
  clearPendingEvents(ids: readonly string[]): Promise<void>;
}
