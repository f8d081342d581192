/** A webhook to be sent. `_id` derives from what it tells, so that telling it twice stores it once; it is the `webhook-id`. */
export interface DeliveryRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly url: string;
  /** `run.emitted`, `execution.completed`. */
  readonly type: string;
  /** JSON text, sent as it is. */
  readonly payload: string;
  readonly createdAt: Date;
  readonly attempts: number;
  /** When to try next, or end of the lease of the process that is trying; absent when it is over. */
  readonly dueAt?: Date;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly lastError: string | null;
}

/** Outgoing webhooks, at least once. */
export interface DeliveryStore {
  /** Durable when it answers; an id that exists already changes nothing. */
  add(delivery: DeliveryRecord): Promise<void>;
  /** Takes the oldest that is due, for `leaseMs`; raises `attempts`. */
  claim(leaseMs: number, now: Date): Promise<DeliveryRecord | null>;
  /** `retryAt` null: it is over. */
  settle(id: string, outcome: { delivered: boolean; error: string | null; retryAt: Date | null }): Promise<void>;
  list(organizationId: string, projectId: string, limit: number): Promise<readonly DeliveryRecord[]>;
}
