import type { Addresses } from '#app/compose/addresses.ts';
import type { Ports } from '#src/config/config.ts';
import type { ServiceName } from '#src/config/env.ts';
import type { LoggedEvent } from '#src/domain/events/events.ts';

/** Reports to processes that share the work: there is a run to take, or events were stored. Losing one only delays what it reports. */
export type Nudge =
  | { readonly kind: 'wake'; readonly delayMs: number }
  | { readonly kind: 'events'; readonly events: readonly LoggedEvent[] };

/** Sent by the supervisor to a service process. `begin` is the first, and tells what to serve and at which ports. */
export type SupervisorMessage =
  | {
      readonly kind: 'begin';
      readonly services: readonly ServiceName[];
      readonly ports: Ports;
      readonly metricsPort: number | null;
    }
  | { readonly kind: 'stop' }
  | Nudge;

/** Sent by a service process to its supervisor. */
export type ServiceMessage =
  /** It listens. `ports`: the actual ones, for the next start. */
  { readonly kind: 'up'; readonly addresses: Addresses; readonly ports: Ports } | Nudge;
