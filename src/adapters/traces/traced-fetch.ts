import type { Tracer } from '#src/domain/ports/tracer.ts';

/** `fetch` for a server that the operator configured: each call has a span, and the server is told the trace. */
export function createTracedFetch(tracer: Tracer): typeof fetch {
  return (input, init) => {
    const { hostname, port, protocol } = new URL(input instanceof Request ? input.url : input);
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    const attributes = {
      'http.request.method': method,
      'server.address': hostname.replace(/^\[|\]$/g, ''),
      'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    };
    return tracer.inSpan({ name: method, kind: 'client', attributes }, async (span) => {
      const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
      const trace = tracer.current();
      if (trace !== null) headers.set('traceparent', trace.traceparent);
      if (trace?.tracestate !== undefined) headers.set('tracestate', trace.tracestate);
      const response = await fetch(input, { ...init, headers });
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span.end(String(response.status));
      return response;
    });
  };
}
