import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ExecutionFrame } from '#src/contracts/streams/event-frames.ts';
import { newId } from '#src/domain/ids.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

const executions = '/api/service/workflow-executions';

interface Event {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: any;
}

let gate = Promise.withResolvers<void>();
const gated = testNode('gated', async () => {
  await gate.promise;
  return { update: {} };
});

let app: TestApp;
let workflowId: string;
let gatedId: string;
let documentIds: string[];
beforeAll(async () => {
  app = await startTestApp({
    env: { SERVICES: 'api,agents' },
    overrides: { catalog: catalogOf([noop, gated]) },
  });
  workflowId = await addWorkflow(app, graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>END']));
  gatedId = await addWorkflow(app, graphOf({ a: 'gated' }, ['START>a', 'a>END']));
  documentIds = [(await app.store(tinyPng, 'image/png')).id, (await app.store(tinyPng, 'image/png')).id];
});
afterAll(() => app[Symbol.asyncDispose]());

const start = async (of = workflowId): Promise<string> => {
  const { body } = await app.call('POST', executions, {
    key: app.seed.serviceKey,
    body: { workflowId: of, documentIds },
  });
  return body.id;
};

const open = (
  id: string,
  { headers = {}, signal, query = '' }: { headers?: Record<string, string>; signal?: AbortSignal; query?: string } = {},
) =>
  fetch(new URL(`${executions}/${id}/events${query}`, app.addresses.api), {
    headers: { 'x-api-key': app.seed.serviceKey, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });

function parse(frame: string): Event | null {
  const fields = new Map(
    frame.split('\n').map((line) => [line.split(': ')[0] ?? '', line.slice(line.indexOf(': ') + 2)]),
  );
  const event = fields.get('event');
  return event === undefined ? null : { id: fields.get('id'), event, data: JSON.parse(fields.get('data') ?? '') };
}

async function* events(response: Response): AsyncGenerator<Event> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event = parse(frame);
      if (event !== null) yield event;
    }
  }
}

async function all(response: Response): Promise<Event[]> {
  const told: Event[] = [];
  for await (const event of events(response)) told.push(event);
  return told;
}
const after = (id: string | undefined) => ({ headers: { 'last-event-id': id ?? '' } });

describe('GET /:id/events', () => {
  test('tells a whole execution as it happens, and ends with it', async () => {
    gate = Promise.withResolvers();
    const id = await start(gatedId);
    const response = await open(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const told: Event[] = [];
    for await (const event of events(response)) {
      told.push(event);
      if (told.filter(({ data }) => data.status === 'running').length === 2) gate.resolve();
    }
    const names = told.map(({ event }) => event);
    expect(names.filter((name) => name === 'run.created')).toHaveLength(2);
    expect(names.filter((name) => name === 'run.completed')).toHaveLength(2);
    expect(names.at(-1)).toBe('execution.completed');
    expect(told.at(-1)?.data).toMatchObject({ executionId: id, status: 'succeeded', counts: { succeeded: 2 } });
    for (const { event, data } of told) {
      expect(data).toMatchObject({ type: event, executionId: id, organizationId: app.seed.organizationId });
      expect(data.projectId).toBe(app.seed.projectId);
    }
    for (const { event, data } of told) expect(ExecutionFrame.parse(data).type).toBe(event);
    for (const { data } of told.filter(({ event }) => event.startsWith('run.')))
      expect(documentIds).toContain(data.documentId);
  });

  test('going on after any event gives exactly the rest', async () => {
    const other = await start();
    const id = await start();
    const whole = await all(await open(id));
    await all(await open(other));
    const numbered = whole.filter((event) => event.id !== undefined);
    expect(numbered.length).toBeGreaterThanOrEqual(12);
    expect(new Set(numbered.map((event) => event.id)).size).toBe(numbered.length);
    for (const [at, last] of numbered.slice(0, -1).entries()) {
      const rest = (await all(await open(id, after(last.id)))).filter((event) => event.id !== undefined);
      expect(rest).toEqual(numbered.slice(at + 1));
    }
    const [first] = numbered;
    const query = await all(await open(id, { query: `?lastEventId=${first?.id}` }));
    expect(query.filter((event) => event.id !== undefined)).toEqual(numbered.slice(1));
  }, 20_000);

  test('ends at once for an execution that has just ended, without another look', async () => {
    const id = await start();
    const { events: log } = app.app.deps;
    const ends = async (): Promise<number> => {
      const logged = await log.read(app.seed.organizationId, 0, 10_000, { executionId: id });
      return logged.filter(({ type }) => type === 'run.completed').length;
    };
    await expect.poll(ends).toBe(documentIds.length);
    const looks = vi.spyOn(log, 'lookMs');
    const told = await all(await open(id));
    expect(told.at(-1)?.event).toBe('execution.completed');
    expect(looks).not.toHaveBeenCalled();
    looks.mockRestore();
  });

  test('answers 204 to a reader that has all of an execution that is over', async () => {
    const id = await start();
    const last = (await all(await open(id))).findLast((event) => event.id !== undefined);
    // Within moments of the end the stream still waits for stragglers, and ends without a new one.
    for (let status = 0; status !== 204;) {
      const again = await open(id, after(last?.id));
      ({ status } = again);
      expect((await all(again)).filter((event) => event.id !== undefined)).toEqual([]);
    }
  }, 10_000);

  test.each(['0-1', 'FUTURE', 'deadbeef-3'])('an id %s that cannot be resumed is told by one reset', async (kind) => {
    const id = await start();
    const numbered = (await all(await open(id))).filter((event) => event.id !== undefined);
    const [epoch = '', seq] = (numbered.at(-1)?.id ?? '').split('-');
    const given = kind === 'FUTURE' ? `${epoch}-${Number(seq) + 1_000}` : kind;
    const told = await all(await open(id, after(given)));
    expect(told.map(({ event }) => event)).toEqual(['reset', 'execution.completed']);
    expect(told[0]?.data).toMatchObject({ type: 'reset', executionId: id });
  });

  test('an id that is too old is told by one reset', async () => {
    const id = await start();
    const first = (await all(await open(id))).find((event) => event.id !== undefined);
    const [epoch] = (first?.id ?? '').split('-');
    const stored = await collectionsIn(app.dataDir);
    await stored.events.deleteMany({ organizationId: app.seed.organizationId, first: { $lte: 5 } });
    await stored.close();
    const told = await all(await open(id, after(`${epoch}-2`)));
    expect(told[0]?.event).toBe('reset');
    expect(told.filter(({ event }) => event === 'reset')).toHaveLength(1);
  });

  test.each(['abc', '-1', 'x-1', '1', 'a-b', `${'a'.repeat(40)}-1`, 'ab-1; drop'])(
    'the id %s is refused as malformed',
    async (given) => {
      const response = await open(newId('execution'), after(given));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ pointer: '/lastEventId' }] });
    },
  );

  test('tells of a cancel, and ends', async () => {
    gate = Promise.withResolvers();
    const id = await start(gatedId);
    const told: Event[] = [];
    for await (const event of events(await open(id))) {
      told.push(event);
      if (told.filter(({ data }) => data.status === 'running').length === 2)
        await app.call('POST', `${executions}/${id}/cancel`, { key: app.seed.serviceKey });
    }
    gate.resolve();
    expect(told.filter(({ event, data }) => event === 'run.completed' && data.status === 'canceled')).toHaveLength(2);
    expect(told.at(-1)?.data).toMatchObject({ status: 'canceled', counts: { canceled: 2 } });
  });

  test('an eleventh stream of one key is 429 until another is closed', async () => {
    gate = Promise.withResolvers();
    const id = await start(gatedId);
    const readers = Array.from({ length: 10 }, () => new AbortController());
    await Promise.all(readers.map(({ signal }) => open(id, { signal })));
    const refused = await open(id);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    await refused.body?.cancel();
    readers[0]?.abort();
    const another = new AbortController();
    await expect.poll(async () => (await open(id, { signal: another.signal })).status).toBe(200);
    for (const reader of [...readers, another]) reader.abort();
    gate.resolve();
    await app.app.idle();
  });
});

test('ends when the service stops, without being cut, and before its run', async () => {
  gate = Promise.withResolvers();
  const stream = await open(await start(gatedId));
  // Must stay the last test of this file.
  const stopped = app[Symbol.asyncDispose]();
  expect(await stream.text()).not.toContain('execution.completed');
  gate.resolve();
  await stopped;
});
