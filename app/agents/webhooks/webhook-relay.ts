import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#src/domain/ports/logger.ts';
import { deliveriesOf, webhookTypesOf } from '#src/domain/webhooks/subscription.ts';
import type { DeliveryStore } from '#src/stores/deliveries.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { WebhookStore } from '#src/stores/webhooks/webhook-store.ts';

interface Parts {
  readonly webhooks: Pick<WebhookStore, 'organizations' | 'enabledOf' | 'advance'>;
  readonly deliveries: Pick<DeliveryStore, 'addAll'>;
  readonly events: Pick<EventLog, 'read' | 'subscribe' | 'gapWaitMs'>;
  readonly logger: Logger;
  /** Address of the service API. */
  baseUrl(): string;
  /** Notifies the sender that deliveries are due. */
  pushed(): void;
}

/** Events that are read at a time. */
const pageSize = 200;
/** Time in which events gather before they are relayed together. */
const gatherMs = 20;

interface Followed {
  readonly unsubscribe: () => void;
  running: Promise<void> | null;
  isAgain: boolean;
  /** Set while the log lacks a number that may still come. */
  later: NodeJS.Timeout | null;
}

function leave({ unsubscribe, later }: Followed): void {
  unsubscribe();
  if (later !== null) clearTimeout(later);
}

/**
 * Turns events of the realtime log into deliveries, for organizations with an enabled webhook. The log is the outbox: each webhook knows the
 * number up to which it was looked at, and moves it after the deliveries are stored. A process that dies between these two repeats, and the
 * ids of the deliveries make that harmless. Events of other organizations cost nothing. Source: docs/decisions/0190,
 * docs/decisions/0287.
 */
export class WebhookRelay {
  readonly #parts: Parts;
  readonly #followed = new Map<string, Followed>();
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks for organizations with webhooks, and for events of theirs that nobody told of. */
  async sweep(): Promise<void> {
    if (this.#isStopped) return;
    const found = new Set(await this.#parts.webhooks.organizations());
    for (const [organizationId, followed] of this.#followed)
      if (!found.has(organizationId)) {
        leave(followed);
        this.#followed.delete(organizationId);
      }
    for (const organizationId of found) this.#relay(organizationId, 0);
  }

  /** Settles when all events that were told of are relayed. */
  async idle(): Promise<void> {
    for (;;) {
      const running = [...this.#followed.values()].flatMap((followed) => followed.running ?? []);
      if (running.length === 0) return;
      await Promise.all(running);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const followed of this.#followed.values()) leave(followed);
    await this.idle();
  }

  #follow(organizationId: string): Followed {
    const known = this.#followed.get(organizationId);
    if (known !== undefined) return known;
    const unsubscribe = this.#parts.events.subscribe(organizationId, (event) => {
      if (webhookTypesOf(event).length > 0) this.#relay(organizationId, gatherMs);
    });
    const followed: Followed = { unsubscribe, running: null, isAgain: false, later: null };
    this.#followed.set(organizationId, followed);
    return followed;
  }

  #relay(organizationId: string, afterMs: number): void {
    if (this.#isStopped) return;
    const followed = this.#follow(organizationId);
    if (followed.running !== null) {
      followed.isAgain = true;
      return;
    }
    followed.running = this.#run(organizationId, followed, afterMs).finally(() => {
      followed.running = null;
      this.#relayLater(organizationId, followed);
    });
  }

  /** A missing number keeps back the events behind it until it comes or is closed. */
  #relayLater(organizationId: string, followed: Followed): void {
    const waitMs = this.#parts.events.gapWaitMs(organizationId);
    if (waitMs === null || this.#isStopped || this.#followed.get(organizationId) !== followed) return;
    if (followed.later !== null) clearTimeout(followed.later);
    followed.later = setTimeout(() => {
      followed.later = null;
      this.#relay(organizationId, 0);
    }, waitMs);
  }

  async #run(organizationId: string, followed: Followed, afterMs: number): Promise<void> {
    try {
      do {
        if (afterMs > 0) await pause(afterMs);
        followed.isAgain = false;
        await this.#readOn(organizationId);
      } while (followed.isAgain && !this.#isStopped);
    } catch (error) {
      this.#parts.logger.warn(
        { err: error, organizationId },
        'events were not relayed to webhooks: the next sweep retries',
      );
    }
  }

  async #readOn(organizationId: string): Promise<void> {
    const webhooks = await this.#parts.webhooks.enabledOf(organizationId);
    // Each page begins behind the one before: a webhook that was looked at further on is left out by its number.
    let after = Math.min(...webhooks.map(({ seq }) => seq));
    while (webhooks.length > 0 && !this.#isStopped) {
      const events = await this.#parts.events.read(organizationId, after, pageSize);
      const last = events.at(-1)?.seq;
      if (last === undefined) return;
      const place = { baseUrl: this.#parts.baseUrl(), now: new Date() };
      const deliveries = events.flatMap((event) => deliveriesOf(event, webhooks, place));
      await this.#parts.deliveries.addAll(deliveries);
      if (deliveries.length > 0) this.#parts.pushed();
      await this.#parts.webhooks.advance(
        organizationId,
        webhooks.map(({ _id }) => _id),
        last,
      );
      if (events.length < pageSize) return;
      after = last;
    }
  }
}
