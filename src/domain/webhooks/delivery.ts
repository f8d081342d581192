import type { TraceContext } from '#src/domain/traces/trace-context.ts';

/** A webhook to be sent. `_id` derives from what it tells, so that telling it twice stores it once; it is the `webhook-id`. */
export interface DeliveryRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** Webhook of the project that this is for, whose address and secrets count; absent: a callback or an `emit` node. */
  readonly endpointId?: string;
  /** Address when it was stored. */
  readonly url: string;
  /** `run.emitted`, `execution.completed`. */
  readonly type: string;
  /** JSON text, sent as it is. */
  readonly payload: string;
  /** Place in the trace of the run; absent: nothing was traced. */
  readonly trace?: TraceContext;
  readonly createdAt: Date;
  readonly attempts: number;
  /** When to try next, or end of the lease of the process that is trying; absent when it is over. */
  readonly dueAt?: Date;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly lastError: string | null;
  readonly lastAttemptAt?: Date;
  /** HTTP status of the last response; absent or null: there was none. */
  readonly lastStatus?: number | null;
  /** Beginning of the last response, of deliveries to webhooks of projects. */
  readonly lastResponse?: string | null;
}
