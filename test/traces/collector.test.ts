import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { OtelTracer, type OtelTracerOptions } from '#src/adapters/traces/otel-tracer.ts';
import { OtlpExporter } from '#src/adapters/traces/otlp-exporter.ts';
import { AppError } from '#src/domain/app-error.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startCollector } from '#test/support/servers/collector.ts';

const targetOf = (url: string) =>
  ({ url: `${url}/v1/traces`, headers: {}, protocol: 'http/json', gzip: false, timeoutMs: 10_000 }) as const;

const all = { sampler: 'always_on', samplerRatio: 1 };

function tracerFor(target: OtelTracerOptions['target'], logger = new LogBook(), choice = all): OtelTracer {
  return new OtelTracer({ target, logger, resource: { 'service.name': 'test' }, version: '0.0.0', ...choice });
}

function exported(exporter: OtlpExporter): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  exporter.export([], ({ code }) => resolve(code));
  return promise;
}

test('an outage of the collector is logged once when it begins and once when it is over', async () => {
  const state = { status: 503 };
  await using collector = await startCollector((_request, response) => {
    response.statusCode = state.status;
    response.end();
  });
  const log = new LogBook();
  // Too short for a retry.
  const exporter = new OtlpExporter({ ...targetOf(collector.url), timeoutMs: 500 }, log);
  expect([await exported(exporter), await exported(exporter)]).toEqual([1, 1]);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  state.status = 200;
  expect([await exported(exporter), await exported(exporter)]).toEqual([0, 0]);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  state.status = 401;
  expect(await exported(exporter)).toBe(1);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn']);
});

test('a batch is sent again as the collector asks', async () => {
  const statuses = [429, 200];
  await using collector = await startCollector((_request, response) => {
    response.writeHead(statuses.shift() ?? 500, { 'retry-after': '0.01' }).end();
  });
  const exporter = new OtlpExporter(targetOf(collector.url), new LogBook());
  expect(await exported(exporter)).toBe(0);
  expect(collector.requests).toHaveLength(2);
});

test('a collector that is down does not hold a stop up', async () => {
  const collector = await startCollector();
  await collector[Symbol.asyncDispose]();
  const log = new LogBook();
  const tracer = tracerFor(targetOf(collector.url), log);
  tracer.start({ name: 'one' }).end();
  // Longer than the test: the stop does not wait for a retry.
  await tracer.stop(3_600_000);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
});

test('a collector that hangs holds a stop up for as long as is allowed, and the connection ends', async () => {
  const closed = Promise.withResolvers<void>();
  await using collector = await startCollector((_request, response) => {
    response.once('close', closed.resolve);
  });
  const tracer = tracerFor(targetOf(collector.url));
  tracer.start({ name: 'one' }).end();
  const arrival = collector.arrival();
  await tracer.stop(100);
  await arrival;
  await closed.promise;
});

test('a service whose collector hangs answers, and ends within seconds', async () => {
  await using collector = await startCollector(() => undefined);
  const folder = await temporaryFolder();
  await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
  const env = { SERVICES: 'api', ...collector.env };
  await using service = await startService({ dataDir: folder.path, env });
  const { status } = await fetch(`${service.addresses.api}/api/service/documents`);
  expect(status).toBe(401);
  const arrival = collector.arrival();
  const asked = performance.now();
  service.signal('SIGTERM');
  await arrival;
  expect(await service.ended).toBe(0);
  expect(performance.now() - asked).toBeLessThan(5_000);
}, 30_000);

test('spans travel as protobuf, packed, with the headers of the operator', async () => {
  await using collector = await startCollector();
  const target = { ...targetOf(collector.url), headers: { authorization: 'Bearer abc' }, gzip: true };
  const tracer = tracerFor({ ...target, protocol: 'http/protobuf' });
  const span = tracer.start({ name: 'packed', attributes: { 'inkgraph.run.id': 'run_1' } });
  span.end('run.failed');
  // Nothing is counted twice.
  span.end();
  await tracer.stop(10_000);
  const [request] = collector.requests;
  expect(request).toMatchObject({
    path: '/v1/traces',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', authorization: 'Bearer abc' },
  });
  const [, traceId = '', spanId = ''] = span.context.traceparent.split('-');
  for (const part of [Buffer.from(traceId, 'hex'), Buffer.from(spanId, 'hex'), 'packed', 'run_1', 'run.failed'])
    expect(request?.body.includes(part)).toBe(true);
  expect(collector.requests).toHaveLength(1);
});

test.each([
  ['nothing is configured', {}, false],
  ['a collector is configured', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
])(
  'where %s, the libraries of traces are loaded: %s',
  async (_when, env, loads) => {
    const folder = await temporaryFolder();
    await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
    const hooks = new URL('../supervisor/report-packages.ts', import.meta.url).href;
    const watched = { NODE_OPTIONS: `--import=${hooks}`, PACKAGES_FOLDER: folder.path, SERVICES: 'api', ...env };
    await using service = await startService({ dataDir: folder.path, env: watched });
    await fetch(`${service.addresses.api}/api/service/documents`);
    const files = (await readdir(folder.path)).filter((name) => name.startsWith('packages-'));
    const lists = await Promise.all(files.map((name) => readFile(join(folder.path, name), 'utf8')));
    const loaded = new Set(lists.flatMap((list) => list.trim().split('\n')));
    expect(loaded).toContain('express');
    for (const name of ['core', 'otlp-transformer', 'resources', 'sdk-trace'])
      expect(loaded.has(`@opentelemetry/${name}`)).toBe(loads);
  },
  30_000,
);

test('work that fails names the code of its error, and none of its words', async () => {
  await using collector = await startCollector();
  const tracer = tracerFor(targetOf(collector.url));
  const fail = (thrown: Error) =>
    tracer.inSpan({ name: 'work' }, async () => {
      throw thrown;
    });
  await expect(fail(new AppError('upload.mismatch', 'hunter2'))).rejects.toThrow('hunter2');
  await expect(fail(new RangeError('hunter2'))).rejects.toThrow('hunter2');
  await tracer.stop(10_000);
  expect(collector.spans.map(({ attributes }) => attributes['error.type'])).toEqual(['upload.mismatch', 'RangeError']);
  expect(collector.bodies.join('\n')).not.toContain('hunter2');
});

const sampled = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const unsampled = sampled.replace(/01$/, '00');

test.each([
  { sampler: 'always_on', samplerRatio: 0, kept: ['root', 'sampled', 'unsampled'] },
  { sampler: 'always_off', samplerRatio: 1, kept: [] },
  { sampler: 'traceidratio', samplerRatio: 1, kept: ['root', 'sampled', 'unsampled'] },
  { sampler: 'traceidratio', samplerRatio: 0, kept: [] },
  { sampler: 'parentbased_always_on', samplerRatio: 0, kept: ['root', 'sampled'] },
  { sampler: 'parentbased_always_off', samplerRatio: 1, kept: ['sampled'] },
  { sampler: 'parentbased_traceidratio', samplerRatio: 0, kept: ['sampled'] },
])('$sampler with $samplerRatio keeps $kept', async ({ kept, ...choice }) => {
  await using collector = await startCollector();
  const tracer = tracerFor(targetOf(collector.url), new LogBook(), choice);
  tracer.start({ name: 'root', parent: null }).end();
  tracer.start({ name: 'sampled', parent: { traceparent: sampled } }).end();
  const last = tracer.start({ name: 'unsampled', parent: { traceparent: unsampled } });
  last.end();
  // A span that is not kept carries the trace on all the same.
  expect(last.context.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-0[01]$/);
  await tracer.stop(10_000);
  expect(collector.spans.map(({ name }) => name)).toEqual(kept);
});
