import { describe, expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { createTracedOutbound } from '#src/adapters/outbound/traced-outbound.ts';
import type { OutboundRequest } from '#src/domain/ports/outbound.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { startCollector, type CollectedSpan } from '#test/support/servers/collector.ts';
import { chatStream, startOpenAiServer } from '#test/support/servers/openai-server.ts';
import { startOutside } from '#test/support/servers/outside-server.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const client = 3;

/** The span that a received `traceparent` names. */
function namedBy(spans: readonly CollectedSpan[], header: unknown): CollectedSpan {
  const [, traceId, spanId] = String(header).split('-');
  const found = spans.find((span) => span.spanId === spanId && span.traceId === traceId);
  if (found === undefined) throw new Error(`no span has ${String(header)}`);
  return found;
}

const above = (spans: readonly CollectedSpan[], { parentSpanId }: CollectedSpan): CollectedSpan | undefined =>
  spans.find(({ spanId }) => spanId === parentSpanId);

test('a model, an http node and a webhook are told the trace of the node that calls them', async () => {
  await using collector = await startCollector();
  await using models = await startOpenAiServer({ chat: [chatStream('fine')] });
  await using outside = await startOutside((request, response) => {
    response.statusCode = request.path === '/teapot' ? 418 : 200;
    response.end('a private answer');
  });
  const env = { OPENAI_API_KEY: 'sk-hunter2', OPENAI_BASE_URL: models.baseUrl, OUTBOUND_ALLOW: outside.listed };
  const at = await startTestApp({ env: { ...collector.env, ...env } });
  const tell = { type: 'emit', config: { channel: 'webhook', url: `${outside.url}/hook?key=hunter2` } };
  const call = { type: 'http', config: { url: `${outside.url}/called?key=hunter2`, parse: 'text' } };
  const graph = graphOf(
    { ask: { type: 'llm', config: { prompt: 'A private question?' } }, call, tell },
    ['START>ask', 'ask>call', 'call>tell', 'tell>END'],
    { state: { answer: { schema: {} }, response: { schema: {} } } },
  );
  const workflowId = await addWorkflow(at, graph);
  const { id } = await at.store(tinyPng, 'image/png');
  await at.call('POST', '/api/service/workflow-executions', {
    key: at.seed.serviceKey,
    body: { workflowId, documentIds: [id], callbackUrl: `${outside.url}/teapot` },
    headers: { traceparent },
  });
  // The webhook of an execution comes after its end.
  await expect.poll(() => outside.received.length, { timeout: 20_000 }).toBe(3);
  await at.app.idle();
  await at[Symbol.asyncDispose]();
  const { spans } = collector;
  const [asked] = models.seen;
  const received = (path: string) => outside.received.find((request) => request.path.startsWith(path))?.headers;
  const byPath = ['/called', '/hook', '/teapot'].map((path) => namedBy(spans, received(path)?.['traceparent']));
  const callers = [namedBy(spans, asked?.headers['traceparent']), ...byPath];
  expect(callers.map((span) => above(spans, span)?.name)).toEqual(['llm', 'http', 'webhook', 'webhook']);
  for (const span of callers) {
    expect(span).toMatchObject({ kind: client, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' });
    expect(span.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'server.port': expect.any(Number) });
  }
  expect(callers[3]).toMatchObject({ status: 2, attributes: { 'error.type': '418' } });
  const sent = collector.bodies.join('\n');
  for (const kept of ['hunter2', 'private', '/called', '/hook']) expect(sent).not.toContain(kept);
}, 60_000);

test('a run that fails says so by codes alone, and its log lines name its trace', async () => {
  await using collector = await startCollector();
  const log = new LogBook();
  const at = await startTestApp({ env: collector.env, overrides: { logger: log } });
  const call = { type: 'http', config: { url: 'https://hunter2.example.com/', parse: 'text' } };
  const graph = graphOf({ call }, ['START>call', 'call>END'], { state: { response: { schema: {} } } });
  const workflowId = await addWorkflow(at, graph);
  const { id } = await at.store(tinyPng, 'image/png');
  const body = { workflowId, documentIds: [id] };
  await at.call('POST', '/api/service/workflow-executions', {
    key: at.seed.serviceKey,
    body,
    headers: { traceparent },
  });
  await at.app.idle();
  await at[Symbol.asyncDispose]();
  const told = collector.spans.filter(({ name }) => ['run', 'http'].includes(name));
  expect(told.map(({ name }) => name)).toEqual(['http', 'run']);
  for (const { status, attributes } of told) {
    expect(status).toBe(2);
    expect(attributes['error.type']).toBe('outbound.refused');
  }
  expect(told[0]?.attributes).toMatchObject({ 'inkgraph.node.status': 'failed' });
  expect(told[1]?.attributes).toMatchObject({ 'inkgraph.run.status': 'failed' });
  expect(collector.bodies.join('\n')).not.toContain('hunter2');
  const lines = log.lines.filter(({ message }) => ['step failed', 'run failed'].includes(message));
  expect(lines.map(({ fields }) => 'traceId' in fields && fields.traceId)).toEqual([
    '4bf92f3577b34da6a3ce929d0e0e4736',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ]);
  // The worker itself belongs to nobody's trace.
  const worker = log.lines.find(({ message }) => message === 'worker takes runs');
  expect(worker?.fields).not.toHaveProperty('traceId');
}, 60_000);

describe('calls of addresses that users name', () => {
  const tracer: Tracer = { ...noTracer, current: () => ({ traceparent, tracestate: 'a=b' }) };
  const usual = {
    url: 'https://hooks.example.com/in',
    method: 'POST',
    headers: {},
    maxBytes: 1,
    timeoutMs: 1,
  } as const;
  const startsOf = async (allow: readonly string[]): Promise<unknown> => {
    const started: unknown[] = [];
    const inSpan: Tracer['inSpan'] = (start, work) => {
      started.push(start.attributes);
      return noTracer.inSpan(start, work);
    };
    const outbound = { send: async () => ({ status: 200, headers: {}, body: Buffer.alloc(0) }), refuses: () => null };
    const traced = createTracedOutbound(outbound, { mode: 'public', allow }, { ...tracer, inSpan });
    await traced.send({ ...usual, url: 'https://hunter2.example.com/hunter2?key=hunter2' });
    return started;
  };
  const headersFor = async (allow: readonly string[], request: Partial<OutboundRequest>) => {
    const sent: OutboundRequest[] = [];
    const send = async (one: OutboundRequest) => {
      sent.push(one);
      return { status: 200, headers: {}, body: Buffer.alloc(0) };
    };
    const traced = createTracedOutbound({ send, refuses: () => null }, { mode: 'public', allow }, tracer);
    await traced.send({ ...usual, ...request });
    return sent[0]?.headers;
  };

  test('tell the trace to hosts of the operator only', async () => {
    expect(await headersFor([], {})).toEqual({});
    expect(await headersFor(['other.example.com'], {})).toEqual({});
    expect(await headersFor(['hooks.example.com'], {})).toEqual({ traceparent, tracestate: 'a=b' });
    expect(await headersFor(['*.example.com'], {})).toEqual({ traceparent, tracestate: 'a=b' });
  });

  test('leave no name with the collector that the operator did not write', async () => {
    const method = { 'http.request.method': 'POST', 'server.port': 443 };
    expect(await startsOf([])).toEqual([method]);
    expect(await startsOf(['*.example.com'])).toEqual([{ ...method, 'server.address': '*.example.com' }]);
  });

  test('keep a traceparent that the author of the workflow set', async () => {
    const headers = { TraceParent: 'own' };
    expect(await headersFor(['hooks.example.com'], { headers })).toEqual(headers);
  });
});

test('a trace goes on in another process', async () => {
  await using collector = await startCollector();
  const at = await startTestApp({ env: { SERVICES: 'api', ...collector.env } });
  await using worker = await startService({ dataDir: at.dataDir, env: { SERVICES: 'agents', ...collector.env } });
  const document = await at.ingest(tinyPng, 'image/png');
  const path = `/api/service/workflow-executions/${document.id.replace('doc_', 'exec_')}?wait=20`;
  const end = async (): Promise<unknown> => (await at.call('GET', path, { key: at.seed.serviceKey })).body.finishedAt;
  await expect.poll(end, { timeout: 40_000 }).toEqual(expect.any(String));
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
  await at[Symbol.asyncDispose]();
  const { spans } = collector;
  const one = (name: string) => spans.find((span) => span.name === name);
  const [request, relay, run] = ['POST /api/uploads/ack', 'relay', 'run'].map(one);
  expect(relay).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
  expect(run).toMatchObject({ traceId: request?.traceId, parentSpanId: relay?.spanId });
  expect(run?.resource['service.instance.id']).not.toBe(request?.resource['service.instance.id']);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === run?.spanId).length).toBeGreaterThan(1);
}, 60_000);
