import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { InkgraphError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** Collector that takes OTLP over HTTP. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly gzip: boolean;
  /** Time for one batch with its retries. */
  readonly timeoutMs: number;
}

type Done = Parameters<SpanExporter['export']>[1];

const forms = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, type: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, type: 'application/json' },
} as const;

/** Statuses after which OTLP lets a client try again. */
const transient = new Set([429, 502, 503, 504]);
const firstPauseMs = 1_000;
const longestPauseMs = 5_000;

const compress = promisify(gzip);

class CollectorError extends InkgraphError {
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor({ status, headers }: Response) {
    super(`the collector answered ${status}`);
    this.retryable = transient.has(status);
    const seconds = Number(headers.get('retry-after') ?? '');
    this.retryAfterMs = seconds > 0 ? seconds * 1_000 : null;
  }
}

/**
 * Sends spans to a collector. The exporters of the library keep a process alive for seconds after its stop, because their retries cannot be
 * ended; this one can be told to hurry. An outage is logged once when it begins and once when it is over.
 */
export class OtlpExporter implements SpanExporter {
  readonly #target: OtlpTarget;
  readonly #logger: Logger;
  readonly #hurried = new AbortController();
  readonly #aborted = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  #isDown = false;
  #lost = 0;

  constructor(target: OtlpTarget, logger: Logger) {
    this.#target = target;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], done: Done): void {
    const sending = this.#try(spans, done).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#sending);
  }

  shutdown(): Promise<void> {
    return this.forceFlush();
  }

  /** Ends the pauses before retries: what is under way is the last attempt. */
  hurry(): void {
    this.#hurried.abort();
  }

  /** Gives up what is under way. */
  abort(): void {
    this.#aborted.abort();
  }

  async #try(spans: ReadableSpan[], done: Done): Promise<void> {
    try {
      await this.#send(spans);
      this.#answered();
      done({ code: 0 });
    } catch (error) {
      this.#failed(error, spans.length);
      done({ code: 1 });
    }
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const { protocol, gzip: packs, timeoutMs } = this.#target;
    const plain = forms[protocol].serializer.serializeRequest(spans);
    if (plain === undefined) throw new Error('the spans could not be written');
    const body = packs ? await compress(plain) : plain;
    const signal = AbortSignal.any([this.#aborted.signal, AbortSignal.timeout(timeoutMs)]);
    const until = performance.now() + timeoutMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      try {
        await this.#post(body, signal);
        return;
      } catch (error) {
        const answered = error instanceof CollectorError ? error : null;
        const wait = answered?.retryAfterMs ?? pauseMs * (0.8 + Math.random() * 0.4);
        const again = answered?.retryable !== false && performance.now() + wait <= until;
        if (!again || !(await this.#pause(wait))) throw error;
      }
    }
  }

  /** False: there is no time for another attempt. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#hurried;
    try {
      await pause(ms, undefined, { ref: false, signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return !signal.aborted;
  }

  async #post(body: Uint8Array, signal: AbortSignal): Promise<void> {
    const { url, headers, protocol, gzip: packs } = this.#target;
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': forms[protocol].type, ...(packs && { 'content-encoding': 'gzip' }) },
      body: new Uint8Array(body),
      // Spans and headers are for this address only.
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new CollectorError(response);
  }

  #answered(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#logger.info({ lostSpans: this.#lost }, 'the collector of traces answers again');
    this.#lost = 0;
  }

  #failed(error: unknown, spans: number): void {
    if (!this.#isDown)
      this.#logger.warn({ err: error }, 'traces cannot be sent: spans are lost until the collector answers');
    this.#isDown = true;
    this.#lost += spans;
  }
}
