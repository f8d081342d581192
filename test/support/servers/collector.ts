import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A span as a collector received it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly traceState: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2: an error. */
  readonly status: number;
  /** Attributes of the process. */
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** Environment of a service that sends its traces here as JSON. */
  readonly env: Record<string, string>;
  readonly spans: CollectedSpan[];
  /** All bodies, as text. */
  readonly bodies: string[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[];
  /** Resolves with the next request that arrives. */
  arrival(): Promise<void>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const recordOf = (list: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

function spansIn(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body);
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map((span: any) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        traceState: span.traceState ?? '',
        attributes: recordOf(span.attributes),
        links: span.links ?? [],
        status: span.status?.code ?? 0,
        resource: recordOf(resource.attributes),
      })),
    ),
  );
}

/** Answers as a collector does, or as `respond` says. */
export async function startCollector(respond?: RequestListener): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const requests: Collector['requests'] = [];
  let arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    void buffer(request).then((sent) => {
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      bodies.push(body.toString());
      arrived.resolve();
      arrived = Promise.withResolvers();
      if (respond !== undefined) return respond(request, response);
      if (request.headers['content-type'] === 'application/json') spans.push(...spansIn(body.toString()));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
    spans,
    bodies,
    requests,
    arrival: () => arrived.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
