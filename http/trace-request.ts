import type { RequestHandler, Response } from 'express';
import type { SpanAttributes, Tracer } from '#src/domain/ports/tracer.ts';
import { readTraceContext, type TraceContext } from '#src/domain/traces/trace-context.ts';

/** Probes and scrapers ask every few seconds. */
const untraced = new Set(['/health', '/livez', '/readyz', '/metrics']);
/** Methods with a name of their own. Source: OpenTelemetry semantic conventions for HTTP. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

/** Place of a request in its trace. */
export function traceOf(response: Response): TraceContext | null {
  return (response.locals['trace'] as TraceContext | null | undefined) ?? null;
}

/** Pattern of the route, never the path: paths of links can hold secrets. */
export function routeOf({ req }: Response): string | null {
  const route: unknown = (req.route as { path?: unknown } | undefined)?.path;
  return typeof route === 'string' ? route : null;
}

/** Gives each request a span, in the trace of its caller if it sent one. Source: W3C Trace Context. */
export function traceRequest(service: string, tracer: Tracer): RequestHandler {
  return (request, response, next) => {
    if (untraced.has(request.path)) {
      next();
      return;
    }
    const known = methods.has(request.method);
    const name = known ? request.method : 'HTTP';
    const attributes: SpanAttributes = {
      'http.request.method': known ? request.method : '_OTHER',
      'url.scheme': request.protocol,
      'inkgraph.service': service,
    };
    const { traceparent, tracestate } = request.headers;
    const span = tracer.start({ name, kind: 'server', parent: readTraceContext(traceparent, tracestate), attributes });
    response.locals['trace'] = span.context;
    response.once('close', () => {
      const route = routeOf(response);
      if (route !== null) {
        span.rename(`${name} ${route}`);
        span.set({ 'http.route': route });
      }
      const { statusCode: status } = response;
      if (response.headersSent) span.set({ 'http.response.status_code': status });
      span.end(status >= 500 ? String(status) : response.writableFinished ? undefined : 'client_gone');
    });
    tracer.within(span, next);
  };
}
