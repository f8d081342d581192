/** Scope of a key: the authenticated service key and the endpoint. Source: specification §4.2 rules 1-4. */
export interface IdempotencyScope {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly endpoint: string;
  readonly key: string;
}

export interface StoredReply {
  readonly status: number;
  readonly body: unknown;
}

export interface IdempotencyRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly fingerprint: string;
  readonly reply: StoredReply | null;
  readonly createdAt: Date;
}

/**
 * What was asked under a key, and what was answered. The work itself has deterministic ids, so identical requests may run side
 * by side: the first reply stored is everybody's, and a crash leaves nothing to wait for.
 */
export interface IdempotencyStore {
  /** Remembers the request, or answers the record that was first. */
  begin(scope: IdempotencyScope, fingerprint: string): Promise<IdempotencyRecord>;
  /** Stores the reply unless one is stored; answers the stored one and whether it is this one. */
  finish(
    scope: IdempotencyScope,
    fingerprint: string,
    reply: StoredReply,
  ): Promise<{ reply: StoredReply; mine: boolean }>;
  /** Forgets a request that failed: the key may be used again. */
  abandon(scope: IdempotencyScope): Promise<void>;
}
