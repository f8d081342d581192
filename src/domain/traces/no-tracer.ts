import type { Span, Tracer } from '#src/domain/ports/tracer.ts';

const noSpan: Span = { context: null, set() {}, rename() {}, end() {} };

/** Traces nothing: no collector is configured. */
export const noTracer: Tracer = {
  start: () => noSpan,
  within: (_span, work) => work(),
  inSpan: (_start, work) => work(noSpan),
  current: () => null,
};
