import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { startGates, type GateServer } from '#test/support/servers/gate-server.ts';
import { startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

const executions = '/api/service/workflow-executions';
const workflows = '/api/dashboard/workflows';
const lines: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});

let outside: OutsideServer;
let gates: GateServer;
let app: TestApp;
let agent: Client;
let documentId: string;
beforeAll(async () => {
  // Sends everything back that it was sent, in body and header, and fails when it is asked to.
  outside = await startOutside(({ path, headers, body }, response) => {
    const said = JSON.stringify({ headers, body });
    response.writeHead(path === '/broken' ? 400 : 200, {
      'content-type': 'application/json',
      'x-echo': headers['authorization'] ?? '',
    });
    response.end(path === '/broken' ? `you sent ${said}` : said);
  });
  gates = await startGates();
  app = await startTestApp({
    env: { OUTBOUND_ALLOW: `${outside.listed},${gates.listed}` },
    overrides: { logger: createPinoLogger('trace', { destination: sink }) },
  });
  agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  documentId = (await app.store(tinyPng, 'image/png')).id;
}, 60_000);
afterAll(async () => {
  await agent.close();
  await app[Symbol.asyncDispose]();
  await Promise.all([outside[Symbol.asyncDispose](), gates[Symbol.asyncDispose]()]);
});

const ask = (method: string, path: string, body?: unknown, key = app.seed.agentKey) =>
  app.call(method, path, { key, ...(body === undefined ? {} : { body }) });

type Nodes = Parameters<typeof graphOf>[0];
/** Nodes one after another; `more` as in a graph. */
function chain(nodes: Nodes, more: Partial<StoredGraphInput> = {}) {
  const path = ['START', ...Object.keys(nodes), 'END'];
  return graphOf(
    nodes,
    path.slice(1).map((to, at) => `${path[at]}>${to}`),
    more,
  );
}

/** As a user makes it: a draft, checked and published. What was refused is thrown as `code: detail`. */
async function publish(graph: StoredGraphInput, on = ask): Promise<string> {
  const made = await on('POST', workflows, { graph });
  const { workflowId } = made.body;
  const published =
    made.status === 201 ? await on('POST', `${workflows}/${workflowId}/publish`, { baseVersion: 1 }) : made;
  if (published.status !== 201) throw new Error(`${published.body.code}: ${published.body.detail}`);
  return workflowId;
}

async function start(workflowId: string, more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', executions, { workflowId, documentIds: [documentId], ...more });
  expect(body.code).toBeUndefined();
  expect(status).toBe(202);
  return body;
}

/** The one run of an execution, when it has ended or waits. */
async function settled({ id, runs }: any): Promise<any> {
  for (;;) {
    await app.app.idle();
    const { body } = await ask('GET', `${executions}/${id}`);
    if (body.status === 'waiting' || body.finishedAt !== null) break;
  }
  return (await ask('GET', `/api/service/runs/${runs[0].runId}`)).body;
}
const run = async (graph: StoredGraphInput, more: object = {}) => settled(await start(await publish(graph), more));

describe('graph attacks: what values may do', () => {
  test('87. a template that reaches for a constructor stays the text it is, through a real run', async () => {
    const prompts = [
      "{{constructor.constructor('return 1')()}}",
      '{{ __proto__.polluted }}',
      "{{ note.constructor.constructor('return process')() }}",
      "{{ note['constructor'] }}",
      '${process.exit(1)} <%= 1 %> #{1} {% raw %}',
    ];
    const config = { prompt: prompts.join('\n') };
    const graph = chain({ ask: { type: 'review', config } }, { state: { answer: {}, note: {} } });
    const asked = await run(graph, { initialState: { note: 'x' } });
    expect(asked.waitingFor[0].promptText).toBe(config.prompt);
    await ask('POST', `${executions}/${asked.executionId}/cancel`);
  });

  test('87. a value that looks like a template, an expression or a secret is text', async () => {
    const note = '{{ 1 + 1 }} {"$secret":"TOKEN"} {{constructor}}';
    const graph = chain(
      {
        twice: { type: 'transform', config: { set: { copy: 'note + note' } } },
        ask: { type: 'review', config: { prompt: '{{ copy }}' } },
      },
      { state: { note: {}, copy: {}, answer: {} } },
    );
    const asked = await run(graph, { initialState: { note } });
    expect(asked.waitingFor[0].promptText).toBe(note + note);
    await ask('POST', `${executions}/${asked.executionId}/cancel`);
  });

  test.each([
    ['a regular expression that would run for ever', "string(note).matches('(a+)+$')", 'a'.repeat(50_000) + '!'],
    ['loops over the state inside each other', 'list.map(a, list.map(b, list.size() + a + b)).size()', null],
    ['a text that doubles', `${'note + '.repeat(60)}note`, 'x'.repeat(60_000)],
  ])('%s ends as a failed run, and the worker works on', async (_what, source, note) => {
    const graph = chain(
      { a: { type: 'transform', config: { set: { out: source } } } },
      { state: { note: {}, list: {}, out: {} }, outputs: { out: 'out' } },
    );
    const initialState = note === null ? { list: Array.from({ length: 8_000 }, (_, at) => at) } : { note };
    const began = performance.now();
    const failed = await run(graph, { initialState });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'expression.failed' } });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(JSON.stringify(failed.error).length).toBeLessThan(2_000);
    const fine = chain(
      { a: { type: 'transform', config: { set: { out: '1 + 1' } } } },
      { state: { out: {} }, outputs: { out: 'out' } },
    );
    expect((await run(fine)).outputs).toEqual({ out: 2 });
  });

  test('a client cannot set what the engine keeps beside the channels', async () => {
    const graph = chain(
      { a: { type: 'transform', config: { set: { out: '1' } } } },
      { state: { out: {}, note: {} }, outputs: { out: 'out', note: 'note' } },
    );
    const workflowId = await publish(graph);
    const hidden = { _flow: { taken: ['a'], ended: true }, _item: { index: 0 }, branch_to_a: 1, __start__: { out: 9 } };
    const ended = await settled(await start(workflowId, { initialState: { note: 'n', ...hidden } }));
    expect(ended).toMatchObject({ status: 'succeeded', outputs: { out: 1, note: 'n' } });
    const order = await settled(await start(workflowId, { initialState: { note: { __overwrite__: 1 } } }));
    expect(order).toMatchObject({ status: 'failed', error: { code: 'request.invalid' } });
  });
});

/** Everything about a run and its workflow that anybody may read, and what is stored and logged of it. */
async function told(runId: string, executionId: string, workflowId: string): Promise<Record<string, string>> {
  const rest = await Promise.all(
    [
      `/api/service/runs/${runId}`,
      `${executions}/${executionId}`,
      `${executions}/${executionId}/runs`,
      `${executions}/${executionId}/events`,
      `${workflows}/${workflowId}`,
      `${workflows}/${workflowId}/versions/1`,
      `${workflows}/${workflowId}/diff?from=1`,
    ].map(async (path) => [path, JSON.stringify((await ask('GET', path)).body)] as const),
  );
  const mcp = await Promise.all(
    [
      { name: 'get_run', arguments: { runId, detail: 'steps', include: ['outputs', 'receipt'] } },
      { name: 'get_run', arguments: { executionId } },
      { name: 'list_runs', arguments: { executionId } },
      { name: 'get_workflow', arguments: { workflowId } },
      { name: 'validate_workflow', arguments: { workflowId } },
    ].map(async (one) => [`MCP ${one.name}`, JSON.stringify(await agent.callTool(one))] as const),
  );
  const stored = await collectionsIn(app.dataDir);
  const kept = [];
  for (const [name, collection] of Object.entries(stored)) {
    if (name === 'close') continue;
    const rows = await (collection as typeof stored.runs).find({}).toArray();
    kept.push([`collection ${name}`, JSON.stringify(rows)] as const);
  }
  await stored.close();
  return Object.fromEntries([...rest, ...mcp, ...kept, ['log', lines.join('')]]);
}

describe('graph attacks: secrets', () => {
  const secret = 'walnut-8f3a91c7-key';
  const forms = [secret, Buffer.from(secret).toString('base64').slice(0, 20), Buffer.from(secret).toString('hex')];
  const leaksIn = (places: Record<string, string>): string[] =>
    Object.entries(places).flatMap(([place, text]) => (forms.some((form) => text.includes(form)) ? [place] : []));
  const $secret = { $secret: 'TOKEN' };

  beforeAll(async () => {
    const place = { organizationId: app.seed.organizationId, projectId: app.seed.projectId };
    await app.app.deps.secrets.set(place, 'TOKEN', { value: secret, hosts: [outside.url] }, 'test');
    await app.app.deps.secrets.set(
      place,
      'BROKEN',
      { value: `${secret}\nx-injected: 1`, hosts: [outside.url] },
      'test',
    );
  });

  test('91. a secret that is sent outside is in no run, step, read, receipt, event, log line or row, though it is sent back', async () => {
    const call = (path: string, parse: string, output: string) => ({
      type: 'http',
      config: {
        method: 'POST',
        url: `${outside.url}${path}`,
        headers: { authorization: $secret, 'x-b': $secret },
        body: { deep: [$secret] },
        parse,
        output,
      },
    });
    const graph = chain(
      {
        json: call('/json', 'json', 'one'),
        text: call('/text', 'text', 'two'),
        broken: call('/broken', 'json', 'three'),
      },
      { state: { one: {}, two: {}, three: {} }, outputs: { one: 'one', two: 'two' } },
    );
    const workflowId = await publish(graph);
    const failed = await settled(await start(workflowId));
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'outbound.unexpected' } });
    const sent = outside.received.filter(({ headers }) => headers['authorization'] === secret);
    expect(sent.map(({ path }) => path)).toEqual(['/json', '/text', '/broken']);
    expect(leaksIn(await told(failed.runId, failed.executionId, workflowId))).toEqual([]);
    const [json] = failed.steps;
    expect(JSON.parse(json.outputPreview)).toEqual({ one: { status: 200 } });
  });

  test('91. a value that no header can hold does not appear in the error either', async () => {
    const config = { url: `${outside.url}/`, headers: { authorization: { $secret: 'BROKEN' } } };
    const workflowId = await publish(chain({ a: { type: 'http', config } }, { state: { response: {} } }));
    const failed = await settled(await start(workflowId));
    expect(failed.status).toBe('failed');
    expect(leaksIn(await told(failed.runId, failed.executionId, workflowId))).toEqual([]);
  });

  test('91. a secret cannot be put where it would be kept or shown: it is refused, or not told', async () => {
    const inner = await publish(
      chain(
        { a: { type: 'transform', config: { set: { out: 'given' } } } },
        { state: { given: {}, out: {} }, outputs: { out: 'out' } },
      ),
    );
    const state = { answer: {}, out: {}, response: {}, segmentation: {}, document: {} };
    const places: Record<string, Nodes> = {
      'emit.data': { a: { type: 'emit', config: { data: { x: $secret } } } },
      'emit.webhook': {
        a: { type: 'emit', config: { channel: 'webhook', url: `${outside.url}/hook`, data: $secret } },
      },
      'workflow.input': {
        a: { type: 'workflow', config: { workflowId: inner, version: 1, input: { given: $secret } } },
      },
      'review.answer': { a: { type: 'review', config: { prompt: 'p', answer: { enum: [$secret, 'no'] } } } },
      'segment.prompt': { a: { type: 'segment', config: { prompt: $secret, engine: 'local' } } },
      'http.output': { a: { type: 'http', config: { url: `${outside.url}/`, output: $secret } } },
      'http.method': { a: { type: 'http', config: { url: `${outside.url}/`, method: $secret } } },
      'transform.set': { a: { type: 'transform', config: { set: { out: $secret } } } },
    };
    const leaks: Record<string, string[]> = {};
    for (const [name, nodes] of Object.entries(places)) {
      const workflowId = await publish(chain(nodes, { state, outputs: { out: 'out' } })).catch((error: unknown) => {
        expect(String(error)).toMatch(/^Error: workflow\.invalid: /);
        return null;
      });
      if (workflowId === null) continue;
      const { runId, executionId } = await settled(await start(workflowId));
      await ask('POST', `${executions}/${executionId}/cancel`);
      leaks[name] = leaksIn(await told(runId, executionId, workflowId));
    }
    expect(leaks).toEqual({});
  });
});

describe('graph attacks: versions', () => {
  test('92. an edit and a publish during a run change nothing of it, nor of the workflow inside it', async () => {
    const one = (path: string) => ({ type: 'http', config: { url: `${gates.url}${path}`, parse: 'text' } });
    const inner = await publish(chain({ a: one('/inner-1') }, { state: { response: {} } }));
    const nodes = {
      wait: one('/wait'),
      inside: { type: 'workflow', config: { workflowId: inner, version: 1 } },
      last: one('/last-1'),
    };
    const workflowId = await publish(chain(nodes, { state: { response: {} } }));
    const gate = gates.hold('/wait');
    const first = await start(workflowId);
    await gate.came;
    for (const [id, node] of [
      [workflowId, 'last'],
      [inner, 'a'],
    ] as const) {
      const operations = [{ op: 'set_config', nodeId: node, config: { url: `${gates.url}/${node}-2` } }];
      expect((await ask('POST', `${workflows}/${id}/operations`, { baseVersion: 1, operations })).status).toBe(200);
      expect((await ask('POST', `${workflows}/${id}/publish`, { baseVersion: 2 })).body.version).toBe(2);
    }
    gate.release();
    const before = gates.calls().length;
    expect(await settled(first)).toMatchObject({ status: 'succeeded', version: 1 });
    expect(gates.calls().slice(before - 1)).toEqual(['/wait', '/inner-1', '/last-1']);
    expect(await settled(await start(workflowId))).toMatchObject({ status: 'succeeded', version: 2 });
    expect(gates.calls().slice(-3)).toEqual(['/wait', '/inner-1', '/last-2']);
  });
});

describe("graph attacks: another tenant's things inside one's own run", () => {
  test.each(['project', 'organization'] as const)(
    'a node of a workflow of another %s is refused, and finds nothing in a run',
    async (where) => {
      const neighbour = await addNeighbour(app, where);
      const theirs = await publish(
        chain(
          { a: { type: 'transform', config: { set: { out: '"theirs"' } } } },
          { state: { out: {} }, outputs: { out: 'out' } },
        ),
        (method, path, body) => ask(method, path, body, neighbour.agentKey),
      );
      for (const workflowId of [theirs, neighbour.workflowId, 'wf_0000000000000000000000', '__proto__', '$ne']) {
        const config = { workflowId, version: 1, outputs: { out: 'out' } };
        const graph = chain({ a: { type: 'workflow', config } }, { state: { out: {} }, outputs: { out: 'out' } });
        await expect(publish(graph)).rejects.toThrow(/^workflow\.invalid/);
        // Past the check: the id comes out of the state.
        const dynamic = { ...config, workflowId: { $expr: 'id' } };
        const sly = chain(
          { a: { type: 'workflow', config: dynamic } },
          { state: { out: {}, id: {} }, outputs: { out: 'out' } },
        );
        const id = await publish(sly).catch((error: unknown) => {
          expect(String(error)).toMatch(/^Error: workflow\.invalid: /);
          return null;
        });
        if (id === null) continue;
        const ended = await settled(await start(id, { initialState: { id: workflowId } }));
        expect(ended).toMatchObject({ status: 'failed', error: { code: 'workflow.version_not_found' } });
      }
    },
  );

  test("a secret of another project is unknown in one's own run", async () => {
    const neighbour = await addNeighbour(app, 'project');
    await app.app.deps.secrets.set(neighbour, 'THEIRS', { value: 'their secret value', hosts: [outside.url] }, 'test');
    const config = { url: `${outside.url}/`, headers: { authorization: { $secret: 'THEIRS' } } };
    const graph = chain({ a: { type: 'http', config } }, { state: { response: {} } });
    const ended = await settled(await start(await publish(graph)));
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'secret.unknown' } });
    expect(JSON.stringify([ended, outside.received])).not.toContain('their secret value');
  });
});

describe('graph attacks: answers and streams', () => {
  const asking = { ask: { type: 'review', config: { prompt: 'Fine?' } } };

  test.each([
    ['1 MB', `"${'x'.repeat(1024 * 1024)}"`, 413],
    ['65 kB', `"${'x'.repeat(65 * 1024)}"`, 400],
    ['65 kB of names', `{${Array.from({ length: 8_000 }, (_, at) => `"k${at}":0`).join(',')}}`, 400],
    ['100 000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
    ['__proto__', '{"__proto__":{"polluted":true}}', 400],
    ['an operator', '{"$set":{"status":"succeeded"}}', 400],
    ['a name with NUL', '{"a\\u0000":1}', 400],
    ['a number beyond every number', '1e400', 400],
    ['an order to the engine', '{"__overwrite__":1}', 200],
  ])('an answer of %s leaves the run waiting, or fails it alone', async (_what, answer, status) => {
    const { runId, executionId } = await run(chain(asking, { state: { answer: {} } }));
    const resume = `/api/service/runs/${runId}/resume`;
    const given = await app.call('POST', resume, { key: app.seed.serviceKey, raw: `{"answer":${answer}}` });
    expect(given.status).toBe(status);
    const after = await settled({ id: executionId, runs: [{ runId }] });
    expect(after.status).toBe(status === 200 ? 'failed' : 'waiting');
    await ask('POST', `${executions}/${executionId}/cancel`);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('a path that names something else than an open question answers nothing', async () => {
    const { runId, executionId } = await run(chain(asking, { state: { answer: {} } }));
    for (const path of ['other', 'ask/ask', '__proto__', 'waitingFor', '$ne', 'ask\0', 'ask.path'])
      expect((await ask('POST', `/api/service/runs/${runId}/resume`, { path, answer: 1 })).body.code).toBe(
        'run.not_waiting',
      );
    for (const path of ['', 5, null, { $ne: '' }, ['ask'], 'x'.repeat(513)])
      expect((await ask('POST', `/api/service/runs/${runId}/resume`, { path, answer: 1 })).body.code).toBe(
        'request.invalid',
      );
    await ask('POST', `${executions}/${executionId}/cancel`);
  });

  test("61. a Last-Event-ID of another organization resets the stream, and shows one's own events only", async () => {
    const neighbour = await addNeighbour(app, 'organization');
    const objectKey = await app.put(tinyPng, 'image/png', neighbour.serviceKey);
    const ack = { objectKey, idempotencyKey: objectKey.slice(-100) };
    const { document } = (await ask('POST', '/api/service/uploads/ack', ack, neighbour.serviceKey)).body;
    const body = { workflowId: neighbour.workflowId, documentIds: [document.id] };
    const theirs = (await ask('POST', executions, body, neighbour.serviceKey)).body;
    const streamed = await ask('GET', `${executions}/${theirs.id}/events`, undefined, neighbour.serviceKey);
    const [, lastEventId = ''] = /^id: (\S+)$/m.exec(streamed.body) ?? [];
    expect(lastEventId).toMatch(/^[0-9a-f]+-\d+$/);
    const mine = await run(chain({ a: { type: 'transform', config: { set: { out: '1' } } } }, { state: { out: {} } }));
    for (const id of [lastEventId, lastEventId.replace(/\d+$/, '0'), lastEventId.replace(/\d+$/, '999999')]) {
      const { status, body: text } = await app.call('GET', `${executions}/${mine.executionId}/events`, {
        key: app.seed.serviceKey,
        headers: { 'last-event-id': id },
      });
      expect(status).toBe(200);
      expect(text).toMatch(/^event: reset$/m);
      for (const other of [neighbour.organizationId, neighbour.projectId, theirs.id, document.id])
        expect(text).not.toContain(other);
    }
    const foreign = await ask('GET', `${executions}/${theirs.id}/events`);
    expect(foreign.body.code).toBe('execution.not_found');
  });
});
