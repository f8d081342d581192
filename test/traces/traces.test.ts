import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { legacyClient, LogBook, modernClient } from '#test/mcp/listener.ts';
import { startCollector, type CollectedSpan, type Collector } from '#test/support/servers/collector.ts';
import { fixture, startTestApp, tinyPng } from '#test/support/test-app.ts';

const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';
const traceparent = `00-${callerTrace}-${callerSpan}-01`;

/** The one span that fits. */
function only(spans: readonly CollectedSpan[], fits: (span: CollectedSpan) => boolean): CollectedSpan {
  const found = spans.filter(fits);
  expect(found.map(({ name }) => name)).toHaveLength(1);
  return found[0] as CollectedSpan;
}

const named =
  (name: string) =>
  (span: CollectedSpan): boolean =>
    span.name === name;
const kinds = { server: 2, client: 3, consumer: 5 };

describe('one upload', () => {
  let collector: Collector;
  let document: { id: string };
  let secrets: readonly string[];
  let text: string;
  const answers: unknown[] = [];
  const log = new LogBook();
  let spans: readonly CollectedSpan[];
  beforeAll(async () => {
    collector = await startCollector();
    const at = await startTestApp({ env: collector.env, overrides: { logger: log } });
    const { seed } = at;
    secrets = [seed.workflowKey, seed.serviceKey, seed.agentKey, seed.operatorEmail];
    const objectKey = await at.put(await fixture('receipt.jpg'), 'image/jpeg');
    const headers = { traceparent, tracestate: 'vendor=one' };
    const acked = await at.call('POST', '/api/uploads/ack', { key: seed.workflowKey, body: { objectKey }, headers });
    document = acked.body.document;
    await at.app.idle();
    const [read] = await at.app.deps.results.listOcr(seed.organizationId, document.id, 1);
    text = read?.text ?? '';
    const executionId = document.id.replace('doc_', 'exec_');
    for (const path of [`documents/${document.id}`, `workflow-executions/${executionId}`])
      answers.push(await at.call('GET', `/api/service/${path}`, { key: seed.serviceKey }));
    await at[Symbol.asyncDispose]();
    spans = collector.spans;
  }, 60_000);
  afterAll(() => collector[Symbol.asyncDispose]());

  test('is one trace from the request over the relay to the run and its nodes', () => {
    const request = only(spans, named('POST /api/uploads/ack'));
    expect(request).toMatchObject({ traceId: callerTrace, parentSpanId: callerSpan, kind: kinds.server });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/uploads/ack',
      'http.response.status_code': 201,
    });
    const relay = only(spans, named('relay'));
    expect(relay).toMatchObject({ traceId: callerTrace, parentSpanId: request.spanId, kind: kinds.consumer });
    const run = only(spans, named('run'));
    expect(run).toMatchObject({
      traceId: callerTrace,
      parentSpanId: relay.spanId,
      kind: kinds.consumer,
      traceState: 'vendor=one',
      status: 0,
    });
    expect(run.attributes).toMatchObject({
      'inkgraph.document.id': document.id,
      'inkgraph.run.status': 'succeeded',
      'inkgraph.run.attempt': 1,
    });
    const nodes = spans.filter(({ parentSpanId }) => parentSpanId === run.spanId);
    expect(nodes.map(({ name }) => name)).toEqual(expect.arrayContaining(['ocr', 'index']));
    for (const node of nodes) {
      expect(node.traceId).toBe(callerTrace);
      expect(node.attributes).toMatchObject({
        'inkgraph.document.id': document.id,
        'inkgraph.workflow.id': run.attributes['inkgraph.workflow.id'],
        'inkgraph.run.id': run.attributes['inkgraph.run.id'],
        'inkgraph.node.id': expect.any(String),
        'inkgraph.node.attempt': 1,
        'inkgraph.node.status': 'succeeded',
      });
    }
  });

  test('tells which process worked on it', () => {
    const { resource } = only(spans, named('run'));
    expect(resource).toMatchObject({
      'service.name': 'inkgraph',
      'service.version': expect.any(String),
      'service.instance.id': expect.stringMatching(/^ins_/),
    });
  });

  test('begins traces of its own where no caller sent one', () => {
    const presign = only(spans, named('POST /api/uploads/presign'));
    expect(presign.parentSpanId).toBe('');
    expect(presign.traceId).not.toBe(callerTrace);
  });

  test('keeps the trace out of what clients read', () => {
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(JSON.stringify(answers)).not.toContain(callerTrace);
  });

  test('names its trace in the log', () => {
    const line = log.lines.find(({ fields }) => 'route' in fields && fields.route === '/api/uploads/ack');
    expect(line?.fields).toMatchObject({ traceId: callerTrace });
  });

  test('leaves no credential, address of a person, signature or text of the document with the collector', () => {
    const sent = collector.bodies.join('\n');
    for (const secret of secrets) expect(sent).not.toContain(secret);
    const words = text.split(/\s+/).filter((word) => word.length > 6);
    expect(words.length).toBeGreaterThan(3);
    for (const word of words) expect(sent).not.toContain(word);
    expect(sent).not.toMatch(/signature|expires=/i);
    const keys = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const known = /^(inkgraph\.[a-z]+(\.[a-z]+)?|http\.(route|request\.method|response\.status_code)|url\.scheme)$/;
    for (const key of keys) expect(key).toMatch(known);
  });
});

test('runs side by side keep their traces apart', async () => {
  await using collector = await startCollector();
  const at = await startTestApp({ env: collector.env });
  await Promise.all(Array.from({ length: 6 }, () => at.ingest(tinyPng, 'image/png')));
  await at.app.idle();
  await at[Symbol.asyncDispose]();
  const runs = collector.spans.filter(named('run'));
  expect(new Set(runs.map(({ traceId }) => traceId)).size).toBe(6);
  const nodes = collector.spans.filter(({ attributes }) => 'inkgraph.node.id' in attributes);
  for (const node of nodes) {
    const run = only(runs, ({ spanId }) => spanId === node.parentSpanId);
    expect(node).toMatchObject({ traceId: run.traceId });
    expect(node.attributes['inkgraph.run.id']).toBe(run.attributes['inkgraph.run.id']);
  }
}, 60_000);

test('a call over MCP is one trace with its run, and _meta counts more than the header', async () => {
  await using collector = await startCollector();
  const at = await startTestApp({ env: collector.env });
  const { id } = await at.store(tinyPng, 'image/png');
  const client = await modernClient(new URL('/mcp', at.addresses.mcp), at.seed.serviceKey);
  const input = { workflowId: at.seed.workflowId, documentIds: [id] };
  await client.callTool({ name: 'run_workflow', arguments: input, _meta: { traceparent } });
  await client.callTool({ name: 'run_workflow', arguments: input });
  await client.close();
  await at.app.idle();
  await at[Symbol.asyncDispose]();
  const { spans } = collector;
  const calls = spans.filter(named('tools/call run_workflow'));
  expect(calls).toHaveLength(2);
  const told = only(calls, ({ traceId }) => traceId === callerTrace);
  expect(told).toMatchObject({ parentSpanId: callerSpan, kind: kinds.server });
  expect(told.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'run_workflow' });
  expect(spans).toContainEqual(expect.objectContaining({ name: 'POST /mcp', spanId: told.links[0]?.spanId }));
  expect(only(spans, (span) => span.name === 'run' && span.traceId === callerTrace).parentSpanId).toBe(told.spanId);
  const plain = only(calls, ({ traceId }) => traceId !== callerTrace);
  const request = only(spans, ({ spanId }) => spanId === plain.parentSpanId);
  expect(request).toMatchObject({ name: 'POST /mcp', traceId: plain.traceId });
  expect(only(spans, (span) => span.name === 'run' && span.traceId === plain.traceId).parentSpanId).toBe(plain.spanId);
}, 60_000);

test('a call of an older client, in its session, is one trace with its run', async () => {
  await using collector = await startCollector();
  const at = await startTestApp({ env: collector.env });
  const { id } = await at.store(tinyPng, 'image/png');
  const { client } = await legacyClient(new URL('/mcp', at.addresses.mcp), at.seed.serviceKey);
  await client.callTool({ name: 'run_workflow', arguments: { workflowId: at.seed.workflowId, documentIds: [id] } });
  await client.close();
  await at.app.idle();
  await at[Symbol.asyncDispose]();
  const { spans } = collector;
  const call = only(spans, named('tools/call run_workflow'));
  expect(only(spans, ({ spanId }) => spanId === call.parentSpanId)).toMatchObject({ name: 'POST /mcp' });
  expect(only(spans, named('run'))).toMatchObject({ traceId: call.traceId, parentSpanId: call.spanId });
}, 60_000);

test('the sampler of the operator decides, also against the caller', async () => {
  await using collector = await startCollector();
  const at = await startTestApp({ env: { ...collector.env, OTEL_TRACES_SAMPLER: 'always_off' } });
  const { status } = await at.call('GET', '/api/service/documents', {
    key: at.seed.serviceKey,
    headers: { traceparent },
  });
  expect(status).toBe(200);
  await at[Symbol.asyncDispose]();
  expect(collector.requests).toEqual([]);
});

test('probes leave no span, and a malformed traceparent is as none', async () => {
  await using collector = await startCollector();
  const at = await startTestApp({ env: collector.env });
  for (const path of ['/health', '/livez', '/readyz']) await at.call('GET', path);
  await at.call('GET', '/api/service/documents', { headers: { traceparent: `00-${callerTrace}-${callerSpan}` } });
  await at[Symbol.asyncDispose]();
  const [refused, ...more] = collector.spans;
  expect(more).toEqual([]);
  expect(refused).toMatchObject({ name: 'GET /api/service/documents', parentSpanId: '', status: 0 });
  expect(refused?.traceId).not.toBe(callerTrace);
  expect(refused?.attributes['http.response.status_code']).toBe(401);
});
