/** Place in a trace, in the form of the headers of the same names. Source: W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Printable ASCII: what a header can carry. */
const stateForm = /^[\x20-\x7e]+$/;
/** The standard asks for at least as many characters to be passed on. */
const longestState = 512;
/** A later version may append fields. */
const longestParent = 200;

/**
 * Reads what a caller sent. null for a malformed `traceparent`; a malformed or long `tracestate` is left out. Of the flags only the one for
 * sampling is kept.
 */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext | null {
  if (typeof traceparent !== 'string' || traceparent.length > longestParent) return null;
  const [, version, traceId, spanId, flags = '', more] = form.exec(traceparent.trim()) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return null;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1 ? '01' : '00';
  const state = typeof tracestate === 'string' ? tracestate.trim() : '';
  const keeps = state.length <= longestState && stateForm.test(state);
  return { traceparent: `00-${traceId}-${spanId}-${sampled}`, ...(keeps && { tracestate: state }) };
}

export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.split('-')[1] ?? '';
}
