import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { modernClient } from '#test/mcp/listener.ts';
import { startOutside, type OutsideServer } from '#test/support/servers/outside-server.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

const secret = 'walnut-8f3a91c7-key';
const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/g, (one) => String.fromCharCode(((one.charCodeAt(0) - 84) % 26) + 97));
const disguises: Readonly<Record<string, string>> = {
  plain: secret,
  reversed: Array.from(secret).toReversed().join(''),
  upper: secret.toUpperCase(),
  rot13: rot13(secret),
  base64: Buffer.from(secret).toString('base64'),
  codes: Array.from(secret, (one) => one.charCodeAt(0)).join(','),
};

const lines: string[] = [];
const sink = new Writable({
  write(chunk: Buffer, _encoding, done) {
    lines.push(chunk.toString());
    done();
  },
});

let echo: OutsideServer;
let elsewhere: OutsideServer;
let app: TestApp;
let agent: Client;
let documentId: string;
beforeAll(async () => {
  elsewhere = await startOutside((_request, response) => response.end('{}'));
  echo = await startOutside(({ path }, response) => {
    const [, kind = '', status = '200'] = path.split('/');
    const text = disguises[kind] ?? '';
    if (kind === 'away') return void response.writeHead(307, { location: elsewhere.url }).end();
    const retryAfter = Array.from(secret)
      .map((one) => one.charCodeAt(0) % 10)
      .join('')
      .slice(0, 9);
    response.writeHead(Number(status), `It is ${text}`, {
      'content-type': `application/json; trace=${text}`,
      'retry-after': retryAfter,
      'x-echo': text,
    });
    const codes = text.split(',').map(Number);
    response.end(
      status === '201' ? `you sent ${text}` : JSON.stringify({ id: text, [text]: [text], codes, ok: 'fine' }),
    );
  });
  app = await startTestApp({
    env: { OUTBOUND_ALLOW: `${echo.listed},${elsewhere.listed}` },
    overrides: { logger: createPinoLogger('trace', { destination: sink }) },
  });
  agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
  documentId = (await app.store(tinyPng, 'image/png')).id;
  const place = { organizationId: app.seed.organizationId, projectId: app.seed.projectId };
  await app.app.deps.secrets.set(place, 'TOKEN', { value: secret, hosts: [echo.url] }, 'test');
}, 60_000);
afterAll(async () => {
  await agent.close();
  await app[Symbol.asyncDispose]();
  await Promise.all([echo[Symbol.asyncDispose](), elsewhere[Symbol.asyncDispose]()]);
});

const ask = (method: string, path: string, body?: unknown, key = app.seed.agentKey) =>
  app.call(method, path, { key, ...(body === undefined ? {} : { body }) });

type Config = Record<string, unknown>;
const graphWith = (config: Config, retry?: object) =>
  graphOf(
    {
      call: {
        type: 'http',
        config: { headers: { authorization: { $secret: 'TOKEN' } }, ...config },
        onError: 'continue',
        ...(retry && { retry }),
      },
    },
    ['START>call', 'call>END'],
    { state: { response: {}, host: {} }, outputs: { response: 'response' } },
  );

/** The ended run of a workflow with this one call, with the id of the workflow. */
async function ranWith(config: Config, retry?: object): Promise<any> {
  const { workflowId } = (await ask('POST', '/api/dashboard/workflows', { graph: graphWith(config, retry) })).body;
  expect((await ask('POST', `/api/dashboard/workflows/${workflowId}/publish`, { baseVersion: 1 })).status).toBe(201);
  const started = await ask('POST', '/api/service/workflow-executions', { workflowId, documentIds: [documentId] });
  await app.app.idle();
  const { body } = await ask('GET', `/api/service/runs/${started.body.runs[0].runId}`);
  expect(body.finishedAt).not.toBeNull();
  return { ...body, workflowId };
}

/** Everything that is stored and logged, and that an editor reads of this run over REST and MCP. */
async function everything({ runId, executionId, workflowId }: any): Promise<Record<string, string>> {
  const paths = [
    `/api/service/runs/${runId}`,
    `/api/service/workflow-executions/${executionId}`,
    `/api/service/workflow-executions/${executionId}/runs`,
    `/api/service/workflow-executions/${executionId}/events`,
    `/api/dashboard/workflows/${workflowId}`,
    `/api/service/documents/${documentId}`,
  ];
  const rest = await Promise.all(paths.map(async (path) => [path, JSON.stringify((await ask('GET', path)).body)]));
  const calls = [
    { name: 'get_run', arguments: { runId, detail: 'steps', include: ['outputs', 'receipt'] } },
    { name: 'get_run', arguments: { executionId } },
    { name: 'list_runs', arguments: { executionId } },
  ];
  const mcp = await Promise.all(calls.map(async (one) => [one.name, JSON.stringify(await agent.callTool(one))]));
  const { close, ...stored } = await collectionsIn(app.dataDir);
  const rows = await Promise.all(
    Object.entries(stored).map(async ([name, one]) => [
      `rows of ${name}`,
      JSON.stringify(await one.find({} as never).toArray()),
    ]),
  );
  await close();
  return Object.fromEntries([...rest, ...mcp, ...rows, ['log', lines.join('')]]);
}

const leaksIn = (places: Record<string, string>): string[] =>
  Object.entries(places).flatMap(([place, text]) =>
    Object.entries(disguises).flatMap(([kind, form]) => (text.includes(form) ? [`${kind} in ${place}`] : [])),
  );

describe('A service that sends a secret back', () => {
  test.each(Object.keys(disguises))(
    'in disguise (%s) shows it nowhere: not by body, header or status text, in a good answer or a bad one',
    async (kind) => {
      const good = await ranWith({ url: `${echo.url}/${kind}` });
      expect(good.outputs).toEqual({ response: { status: 200 } });
      const text = await ranWith({ url: `${echo.url}/${kind}/201`, parse: 'text' });
      expect(text.outputs).toEqual({ response: { status: 201 } });
      const bad = await ranWith({ url: `${echo.url}/${kind}/429` });
      expect(bad.steps[0].error.message).toBe('The external service responded with status 429.');
      const noJson = await ranWith({ url: `${echo.url}/${kind}/201`, fields: ['/id'] });
      expect(noJson.steps[0].error.code).toBe('outbound.unexpected');
      for (const ended of [good, text, bad, noJson]) expect(leaksIn(await everything(ended))).toEqual([]);
    },
  );

  test.each(Object.keys(disguises))(
    'shows nothing of it (%s) through the fields that the author named',
    async (kind) => {
      const fields = ['/id', '/ok', '/missing', '/codes/0'];
      const ended = await ranWith({ url: `${echo.url}/${kind}`, fields });
      expect(ended.outputs.response).toMatchObject({
        status: 200,
        body: { id: expect.stringContaining('[redacted]'), ok: 'fine' },
      });
      expect(leaksIn(await everything(ended))).toEqual([]);
    },
  );

  test('cannot hand it on by a redirect', async () => {
    const ended = await ranWith({ url: `${echo.url}/away` });
    expect(ended.steps[0].error.code).toBe('outbound.unexpected');
    expect(elsewhere.connections()).toBe(0);
  });

  test('is named in the audit log once a run', async () => {
    const again = { maxAttempts: 3, initialIntervalMs: 1 };
    const { runId, steps } = await ranWith({ url: `${echo.url}/plain/429` }, again);
    expect(steps).toHaveLength(3);
    const { organizationId, projectId } = app.seed;
    const records = await app.app.deps.audit.list(organizationId, { action: 'secret.use' }, null, 100);
    const ofRun = records.filter(({ actor }) => actor === runId);
    expect(ofRun).toMatchObject([{ target: `${projectId}/TOKEN`, detail: { version: 1 } }]);
  });
});

describe('A secret for a host that it is not bound to', () => {
  test('is refused when the workflow is saved or published, naming secret, host and way out', async () => {
    const { status, body } = await ask('POST', '/api/dashboard/workflows', {
      graph: graphWith({ url: elsewhere.url }),
    });
    const published =
      status === 201
        ? await ask('POST', `/api/dashboard/workflows/${body.workflowId}/publish`, { baseVersion: 1 })
        : { body };
    expect(published.body).toMatchObject({ code: 'workflow.invalid' });
    const [issue] = published.body.errors;
    expect(issue).toMatchObject({ code: 'SECRET_UNBOUND' });
    expect(issue.message).toContain(`Secret TOKEN is not bound to ${elsewhere.url}.`);
    expect(issue.message).toContain('set the secret again');
  });

  test('is refused before anything is sent when its hosts changed after the workflow was published', async () => {
    const { organizationId, projectId } = app.seed;
    const before = echo.received.length;
    await app.app.deps.secrets.set(
      { organizationId, projectId },
      'MOVED',
      { value: secret, hosts: [echo.url] },
      'test',
    );
    const headers = { authorization: { $secret: 'MOVED' } };
    const { workflowId } = (
      await ask('POST', '/api/dashboard/workflows', { graph: graphWith({ url: echo.url, headers }) })
    ).body;
    await ask('POST', `/api/dashboard/workflows/${workflowId}/publish`, { baseVersion: 1 });
    const stored = await collectionsIn(app.dataDir);
    const connections = echo.connections();
    const run = async (): Promise<any> => {
      const started = await ask('POST', '/api/service/workflow-executions', { workflowId, documentIds: [documentId] });
      await app.app.idle();
      return (await ask('GET', `/api/service/runs/${started.body.runs[0].runId}`)).body.steps[0].error;
    };
    await app.app.deps.secrets.bind(organizationId, projectId, 'MOVED', ['api.example.org']);
    expect(await run()).toMatchObject({
      code: 'secret.unbound',
      message: expect.stringMatching(
        /^Secret MOVED is not bound to http:\/\/127\.0\.0\.1:\d+\. Nothing was sent\. Ask an admin to set the secret again with /,
      ),
    });
    // Somebody who writes to the database cannot bind it either: the hosts are sealed with the value.
    await stored.secrets.updateOne({ _id: `${projectId}/MOVED` }, { $set: { hosts: [echo.url] } });
    expect(await run()).toMatchObject({ code: 'secret.unknown' });
    await stored.close();
    expect([echo.received.length, echo.connections()]).toEqual([before, connections]);
  });
});
