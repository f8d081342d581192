import express, { type Express, type RequestHandler, type Response } from 'express';
import type { LimitLog } from '#http/guard/limit-log.ts';
import type { Strangers } from '#http/guard/strangers.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { routeOf, traceOf, traceRequest } from '#http/trace-request.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { traceIdOf } from '#src/domain/traces/trace-context.ts';
import { newId } from '#src/domain/ids.ts';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Keeps a well-formed `x-request-id` or makes one. Every response carries it, and every log line. */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.headers['x-request-id'];
  response.setHeader('x-request-id', typeof given === 'string' && acceptable.test(given) ? given : newId('request'));
  next();
};

/** Headers of every response. Pages and images replace some of them by their own. */
const usualHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

export function requestIdOf(response: Response): string {
  return String(response.getHeader('x-request-id'));
}

export interface BaseParts {
  /** Proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Limits for callers without a credential; absent: none. */
  readonly strangers?: Strangers | null;
  /** Absent: limits that were hit are not logged. */
  readonly limitLog?: LimitLog;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
}

/** Creates the app that all services share: no fingerprint headers, request ids, and a log line and a metric for each request. */
export function baseApp(service: string, parts: BaseParts): Express {
  const { metrics, logger, trustedProxies = [], tracer = noTracer } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  if (trustedProxies.length > 0) app.set('trust proxy', [...trustedProxies]);
  app.use(requestId);
  if (tracer !== noTracer) app.use(traceRequest(service, tracer));
  app.use((request, response, next) => {
    for (const [name, value] of Object.entries(usualHeaders)) response.setHeader(name, value);
    const started = performance.now();
    // A connection that closed has no address any more.
    const { ip } = request;
    response.once('finish', () => {
      const sample = {
        service,
        method: request.method,
        route: routeOf(response) ?? 'other',
        status: response.statusCode,
        seconds: (performance.now() - started) / 1_000,
      };
      metrics.request(sample);
      const caller: unknown = response.locals['caller'];
      const trace = traceOf(response);
      const traced = trace === null ? {} : { traceId: traceIdOf(trace) };
      logger.info({ ...sample, ip, caller, requestId: requestIdOf(response), ...traced }, 'request');
    });
    next();
  });
  return app;
}
