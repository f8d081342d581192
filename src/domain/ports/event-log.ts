import type { RealtimeEvent } from '#src/domain/events/events.ts';

export interface LoggedEvent extends RealtimeEvent {
  /** Rises by organization. */
  readonly seq: number;
}

/** Where a log stands. A log that was begun anew has another `epoch`; events up to `forgotten` are not kept any more. */
export interface LogPosition {
  readonly epoch: string;
  readonly forgotten: number;
  readonly last: number;
}

/**
 * In-process bus with a durable log per organization. Appending an event with a known `dedupeId` again changes nothing.
 * Held by test/conformance/event-log.ts. Source: contracts.md "Realtime feed".
 */
export interface EventLog {
  /**
   * Answers when all are stored; listeners hear them after that. `lingerMs`: nobody waits for these; they may be stored that much
   * later, together with others.
   */
  append(events: readonly RealtimeEvent[], options?: { readonly lingerMs?: number }): Promise<void>;
  /** Calls back for every event of the organization appended from now on by this process. */
  subscribe(organizationId: string, listener: (event: LoggedEvent) => void): () => void;
  /** Events with `seq > after`, in order; of one execution where it is named. */
  read(
    organizationId: string,
    after: number,
    limit: number,
    filter?: { readonly executionId: string },
  ): Promise<readonly LoggedEvent[]>;
  position(organizationId: string): Promise<LogPosition>;
}
