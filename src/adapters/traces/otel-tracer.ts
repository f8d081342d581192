import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as VendorSpan,
  type SpanContext,
  type Tracer as VendorTracer,
} from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { OtlpExporter, type OtlpTarget } from '#src/adapters/traces/otlp-exporter.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Span, SpanAttributes, SpanStart, Tracer } from '#src/domain/ports/tracer.ts';
import { failureCode } from '#src/domain/traces/failure-code.ts';
import type { TraceContext } from '#src/domain/traces/trace-context.ts';

export interface OtelTracerOptions {
  readonly target: OtlpTarget;
  /** By the names of the OpenTelemetry specification. */
  readonly sampler: string;
  readonly samplerRatio: number;
  /** Attributes of the resource: the service, its version, the name of this process. */
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  readonly logger: Logger;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

function samplerOf({ sampler, samplerRatio }: OtelTracerOptions): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(samplerRatio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: new TraceState(tracestate) }),
  };
}

function contextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const state = traceState?.serialize() ?? '';
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  return { traceparent, ...(state !== '' && { tracestate: state }) };
}

class TracedSpan implements Span {
  readonly context: TraceContext;
  readonly #span: VendorSpan;

  constructor(span: VendorSpan) {
    this.#span = span;
    this.context = contextOf(span.spanContext());
  }

  /** Context for spans below this one. */
  get below(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  end(failure?: string): void {
    // The library warns about a second end.
    if (!this.#span.isRecording()) return;
    if (failure !== undefined) {
      this.#span.setAttribute('error.type', failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

/**
 * Traces by OpenTelemetry. Nothing is registered globally, so that no library of this process adds spans, and its attributes, of its own.
 * Source: docs/decisions/0125.
 */
export class OtelTracer implements Tracer {
  readonly #active = new AsyncLocalStorage<TracedSpan | null>();
  readonly #exporter: OtlpExporter;
  readonly #provider: TracerProvider;
  readonly #tracer: VendorTracer;

  constructor(options: OtelTracerOptions) {
    this.#exporter = new OtlpExporter(options.target, options.logger);
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(resourceFromAttributes(options.resource)),
      sampler: samplerOf(options),
      spanProcessors: [new BatchSpanProcessor({ exporter: this.#exporter })],
      spanLimits: { attributeValueLengthLimit: 256 },
    });
    this.#tracer = this.#provider.getTracer('inkgraph', options.version);
  }

  start({ name, kind, parent, link, attributes }: SpanStart): TracedSpan {
    const under =
      parent === undefined
        ? (this.#active.getStore()?.below ?? ROOT_CONTEXT)
        : parent === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
    const options = {
      kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
      ...(attributes !== undefined && { attributes: { ...attributes } }),
      ...(link !== undefined && link !== null && { links: [{ context: spanContextOf(link) }] }),
    };
    return new TracedSpan(this.#tracer.startSpan(name, options, under));
  }

  within<T>(span: Span | null, work: () => T): T {
    return this.#active.run(span instanceof TracedSpan ? span : null, work);
  }

  async inSpan<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.start(start);
    try {
      const result = await this.#active.run(span, work, span);
      span.end();
      return result;
    } catch (error) {
      span.end(failureCode(error));
      throw error;
    }
  }

  current(): TraceContext | null {
    return this.#active.getStore()?.context ?? null;
  }

  /** Sends what is left, and waits for the collector no longer than `ms`. */
  async stop(ms: number): Promise<void> {
    this.#exporter.hurry();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    // The exporter has logged the failure.
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    clearTimeout(timer);
    this.#exporter.abort();
  }
}
