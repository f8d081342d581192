import type { Addresses } from '#app/compose/addresses.ts';
import type { Ports } from '#src/config/config.ts';
import type { ServiceName } from '#src/config/env.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

/**
 * Passed on by the supervisor from one service process to the other: there is a run to take, events were stored, pages of an organization used
 * up their limits, a question for metrics and its answer. Losing one only delays what it reports.
 */
export type SiblingMessage =
  | { readonly kind: 'wake'; readonly delayMs: number; readonly runs?: number | undefined }
  | { readonly kind: 'events'; readonly events: readonly LoggedEvent[] }
  | { readonly kind: 'spent'; readonly organizationId: string }
  | { readonly kind: 'ask-metrics'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly metrics: readonly object[] };

/** Sent by the supervisor to a service process. `begin` is the first, and tells what to serve and at which ports. */
export type SupervisorMessage =
  | {
      readonly kind: 'begin';
      readonly services: readonly ServiceName[];
      readonly ports: Ports;
      readonly metricsPort: number | null;
      /** The processes before it in its place ended by themselves. */
      readonly again: boolean;
      /** Time between two signs of life that the supervisor waits for. */
      readonly beatMs: number;
    }
  /** `reason`: the signal that the supervisor got. */
  | { readonly kind: 'stop'; readonly reason: string }
  | SiblingMessage;

/** Sent by a service process to its supervisor. */
export type ServiceMessage =
  /** It listens. `ports`: the actual ones, for the next start. */
  | { readonly kind: 'up'; readonly addresses: Addresses; readonly ports: Ports }
  /** Its event loop turns. */
  | { readonly kind: 'beat' }
  | SiblingMessage;
