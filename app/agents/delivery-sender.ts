import { AppError } from '#src/domain/app-error.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { Span, Tracer } from '#src/domain/ports/tracer.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Outbound, OutboundAnswer } from '#src/domain/ports/outbound.ts';
import { webhookRetryDelayMs } from '#src/domain/webhooks/retry-schedule.ts';
import { webhookHeaders } from '#src/domain/webhooks/sign.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';
import type { DeliveryTarget, WebhookTargets } from '#app/agents/webhooks/webhook-targets.ts';
import { webhookLimits } from '#src/contracts/webhooks/webhook.ts';
import type { DeliveryStore, Settled } from '#src/stores/deliveries.ts';

export interface DeliverySenderParts {
  readonly deliveries: DeliveryStore;
  /** HTTP client that may call any public https address. */
  readonly outbound: Outbound;
  /** Signing secrets from `webhookSecret`: the current one, then earlier ones. */
  secretsOf(projectId: string): readonly string[];
  /** Finds address and secrets of deliveries to webhooks of projects. */
  readonly targetOf?: WebhookTargets;
  readonly logger: Logger;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Lease time of one attempt. The attempt itself times out after half of it. */
  readonly leaseMs: number;
  /** Default: the system clock. */
  now?(): Date;
  /** Calls `work` in `ms`. Returns a function that cancels it. Default: a timer. */
  readonly schedule?: (ms: number, work: () => void) => () => void;
}

type NewDelivery = Pick<DeliveryRecord, '_id' | 'organizationId' | 'projectId' | 'url' | 'type' | 'payload'>;

const lanes = 8;
/** Deliveries to webhooks wait less long: their receivers share the lanes with callbacks. */
const webhookTimeoutMs = 10_000;
/** Beginning of a response, as the log of a webhook shows it. */
const responseOf = ({ status, body }: Pick<OutboundAnswer, 'status' | 'body'>) => ({
  status,
  text: body
    .subarray(0, 4 * webhookLimits.responseText)
    .toString('utf8')
    .replaceAll('\0', '')
    .slice(0, webhookLimits.responseText)
    .toWellFormed(),
});

function timer(ms: number, work: () => void): () => void {
  const set = setTimeout(work, ms).unref();
  return () => clearTimeout(set);
}

/**
 * Sends the webhooks of the outbox, a few at once, each at least once: a delivery that a dead process claimed is sent again with the same
 * `webhook-id` when its lease ends. Source: docs/decisions/0010; standardwebhooks.com.
 */
class DeliverySender {
  readonly #parts: DeliverySenderParts;
  readonly #lanes = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** A delivery arrived while every lane was busy. */
  #again = false;
  /** Functions that cancel the timers of retries. */
  readonly #timers = new Set<() => void>();

  constructor(parts: DeliverySenderParts) {
    this.#parts = parts;
  }

  /**
   * Stores a webhook and starts to send it. A repeated id changes nothing. Throws `outbound.refused` for an address that can never be
   * called.
   */
  async deliver(delivery: NewDelivery): Promise<void> {
    const refused = this.#parts.outbound.refuses(delivery.url);
    if (refused !== null) throw new AppError('outbound.refused', `The webhook's address cannot be called: ${refused}.`);
    const now = this.#now();
    const trace = this.#parts.tracer?.current() ?? null;
    const fresh = { attempts: 0, status: 'pending', lastError: null, ...(trace !== null && { trace }) } as const;
    await this.#parts.deliveries.add({ ...delivery, ...fresh, createdAt: now, dueAt: now });
    this.push();
  }

  /** Looks for due deliveries. */
  push(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#lanes.size >= lanes) {
      this.#again = true;
      return;
    }
    const lane = this.#run().finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  /** Starts on deliveries that other processes left, and does not wait for them. */
  sweep(): void {
    this.push();
  }

  /** Settles when no delivery is due and none is being sent here. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
  }

  /** Aborts deliveries in flight. They stay due. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the sender is stopping'));
    for (const cancel of this.#timers) cancel();
    await this.idle();
  }

  #now(): Date {
    return this.#parts.now?.() ?? new Date();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#stop.signal.aborted) {
        const claimed = await this.#parts.deliveries.claim(this.#parts.leaseMs, this.#now());
        if (claimed !== null) {
          // Open another lane while there are more deliveries.
          this.push();
          await this.#traced(claimed);
        } else if (this.#again) this.#again = false;
        else return;
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'webhook outbox could not be read: the next sweep retries');
    }
  }

  /** Never rejects: when the outcome cannot be written, the delivery waits for its lease to end. */
  async #deliver(delivery: DeliveryRecord, span: Span): Promise<void> {
    const { _id: deliveryId, projectId, type, attempts } = delivery;
    const { logger } = this.#parts;
    const fields = { deliveryId, projectId, type, attempts };
    try {
      const outcome = await this.#attempt(delivery);
      if (!outcome.delivered) span.end('not_delivered');
      await this.#parts.deliveries.settle(deliveryId, outcome);
      if (outcome.retryAt !== null) this.#wakeAt(outcome.retryAt);
      else if (!outcome.delivered)
        logger.warn({ ...fields, reason: outcome.error }, 'webhook not delivered: no attempts are left');
    } catch (error) {
      logger.error(
        { err: error, ...fields },
        'outcome of a webhook could not be stored: it is sent again when its lease ends',
      );
    }
  }

  /** Sends a webhook as a part of the trace of its run. */
  #traced(delivery: DeliveryRecord): Promise<void> {
    const { tracer = noTracer } = this.#parts;
    const { _id, organizationId, projectId, type, attempts, trace = null } = delivery;
    const attributes = {
      'inkgraph.organization.id': organizationId,
      'inkgraph.project.id': projectId,
      'inkgraph.delivery.id': _id,
      'inkgraph.delivery.type': type,
      'inkgraph.delivery.attempt': attempts,
    };
    const start = { name: 'webhook', kind: 'consumer', parent: trace, attributes } as const;
    return tracer.inSpan(start, (span) => this.#deliver(delivery, span));
  }

  async #attempt(delivery: DeliveryRecord): Promise<Settled> {
    const at = this.#now();
    if (delivery.endpointId === undefined) {
      const target = { url: delivery.url, secrets: this.#parts.secretsOf(delivery.projectId) };
      return (await this.#send(delivery, target, at)).outcome;
    }
    const target = (await this.#parts.targetOf?.(delivery, at)) ?? 'Webhooks are not sent here.';
    if (typeof target === 'string') return { delivered: false, error: target, retryAt: null, at, response: null };
    const { outcome, response } = await this.#send(delivery, target, at);
    if (!this.#stop.signal.aborted)
      await target.ended({ delivered: outcome.delivered, gone: response?.status === 410, at });
    return { ...outcome, at, response };
  }

  async #send(
    { _id: id, endpointId, payload, attempts }: DeliveryRecord,
    { url, secrets }: Pick<DeliveryTarget, 'url' | 'secrets'>,
    at: Date,
  ): Promise<{ readonly outcome: Settled; readonly response: Exclude<Settled['response'], undefined> }> {
    const { outbound, leaseMs } = this.#parts;
    try {
      const answer = await outbound.send({
        url,
        method: 'POST',
        headers: webhookHeaders(secrets, { id, at, payload }),
        body: payload,
        maxBytes: 64 * 1024,
        timeoutMs: endpointId === undefined ? leaseMs / 2 : Math.min(webhookTimeoutMs, leaseMs / 2),
        signal: this.#stop.signal,
      });
      const { status } = answer;
      const response = responseOf(answer);
      if (status >= 200 && status < 300) return { outcome: { delivered: true, error: null, retryAt: null }, response };
      const error = `The receiver answered ${status}.`;
      return {
        outcome: status === 410 ? { delivered: false, error, retryAt: null } : this.#retry(error, attempts),
        response,
      };
    } catch (error) {
      const failed = (outcome: Settled) => ({ outcome, response: null });
      if (this.#stop.signal.aborted) return failed({ delivered: false, error: 'The sender was stopped.', retryAt: at });
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'outbound.refused') return failed({ delivered: false, error: error.detail, retryAt: null });
      return failed(this.#retry(error.detail, attempts));
    }
  }

  #retry(error: string, attempts: number): Settled {
    const wait = webhookRetryDelayMs(attempts);
    const retryAt = wait === null ? null : new Date(this.#now().getTime() + wait);
    return { delivered: false, error, retryAt };
  }

  /** Timers cover this process. The sweep finds retries of other processes. */
  #wakeAt(at: Date): void {
    if (this.#stop.signal.aborted) return;
    const cancel = (this.#parts.schedule ?? timer)(at.getTime() - this.#now().getTime(), () => {
      this.#timers.delete(cancel);
      this.push();
    });
    this.#timers.add(cancel);
  }
}

/** `push` after an `add` elsewhere, `sweep` now and then, `stop` at the end. */
export function createDeliverySender(parts: DeliverySenderParts): DeliverySender {
  return new DeliverySender(parts);
}
