import type { TraceContext } from '#src/domain/traces/trace-context.ts';

/** Ids, types, codes and numbers. Never text of documents, values that users wrote, or credentials: they leave this installation. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** One of few: what differs from call to call is an attribute. */
  readonly name: string;
  /** `server` and `client`: of a request; `consumer`: takes up stored work. Absent: inside this process. */
  readonly kind?: 'server' | 'client' | 'consumer';
  /** null: the span begins a trace. Absent: its parent is the span at work here, if there is one. */
  readonly parent?: TraceContext | null;
  /** Another place that led here, beside the parent. */
  readonly link?: TraceContext | null;
  readonly attributes?: SpanAttributes;
}

/** Piece of work with a beginning and an end. */
export interface Span {
  /** To be stored or sent with work that continues the trace. null: nothing is traced. */
  readonly context: TraceContext | null;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** `failure`: code of an error, never its text. Later calls change nothing. */
  end(failure?: string): void;
}

/** Tells a collector who worked on what, when, and for whom. Nothing here fails or waits. */
export interface Tracer {
  start(span: SpanStart): Span;
  /** Does work, and what it leads to, as part of the span. null: as part of none, for work that serves many. */
  within<T>(span: Span | null, work: () => T): T;
  /** Does work in a span of its own, which ends with it. */
  inSpan<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Context of the span at work here; null: none, or nothing is traced. */
  current(): TraceContext | null;
}
