import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { pointersOf, problemOf, replyOf } from '#test/spec/support/replies.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import type { Lease } from '#src/stores/run-queue.ts';

let app: TestApp;
let cookie: string;
beforeAll(async () => {
  // Nobody works on runs: they stay as they are put.
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const read = async (query = '') =>
  replyOf(rows.audit, await app.call('GET', `/api/dashboard/audit${query}`, { cookie }));
const post = (path: string, body: object, key?: string) =>
  app.call('POST', path, { ...(key === undefined ? { cookie } : { key }), body });
const on = async (target: string) =>
  (await read('?limit=100')).records
    .filter((record) => record.target === target)
    .map(({ action, ip }) => `${action} from ${ip?.replace('::ffff:', '')}`);

describe('The audit log', () => {
  test('is read page by page, newest first, each record once', async () => {
    for (let index = 0; index < 7; index += 1) await post('/api/dashboard/projects', { name: `Paged ${index}` });
    const paged = [];
    let next: string | null = '';
    for (let pages = 0; next !== null && pages < 10; pages += 1) {
      const { records, nextCursor } = await read(`?action=project.create&limit=3${next && `&cursor=${next}`}`);
      expect(records.length).toBeLessThanOrEqual(3);
      paged.push(...records);
      next = nextCursor;
    }
    expect(paged.map(({ detail }) => detail['name'])).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `Paged ${index}`));
    expect(new Set(paged.map(({ id }) => id)).size).toBe(7);
    expect(await read('?limit=100&action=project')).toMatchObject({ records: paged, nextCursor: null });
  });

  test('is narrowed to an action or an area, and a cursor works for its own list only', async () => {
    await post('/api/dashboard/secrets', {
      name: 'AUDITED',
      value: 'x',
      hosts: ['api.example.org'],
      projectId: app.seed.projectId,
    });
    const { records, nextCursor } = await read('?action=key&limit=1');
    expect(records).toMatchObject([{ action: 'key.issue', actor: 'cli', ip: null }]);
    expect((await read('?action=secret.set')).records.map(({ action }) => action)).toEqual(['secret.set']);
    expect((await read('?action=secrets')).records).toEqual([]);
    const cursor = nextCursor ?? 'none';
    for (const query of [
      `cursor=${cursor}`,
      `cursor=${cursor}&action=secret`,
      `action=key&cursor=${cursor.slice(0, -2)}xx`,
      'cursor=x',
    ]) {
      const answer = await app.call('GET', `/api/dashboard/audit?${query}`, { cookie });
      problemOf(answer, 'request.cursor_invalid');
    }
    for (const query of ['action=key.*', 'action=KEY', 'action=', 'action[$ne]=x', 'limit=0', 'area=key']) {
      const answer = await app.call('GET', `/api/dashboard/audit?${query}`, { cookie });
      expect(pointersOf(problemOf(answer, 'request.invalid'))).toHaveLength(1);
    }
  });

  test('is exported as JSON Lines, all of it or a part, and only to those who may read it', async () => {
    const exported = (query = '', as = cookie) =>
      app.call('GET', `/api/dashboard/audit/export${query}`, { cookie: as });
    const begun = Date.now();
    vi.useFakeTimers({ toFake: ['Date'] });
    for (let index = 0; index < 101; index += 1) {
      // Records of the same millisecond have no order.
      vi.setSystemTime(begun + index);
      await app.app.deps.audit.note([
        {
          organizationId: app.seed.organizationId,
          actor: 'usr_x',
          action: 'export.test',
          target: `n ${index}`,
          detail: {},
        },
      ]);
    }
    vi.useRealTimers();
    const { status, headers, body } = await exported('?action=export.test');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    const lines = (text: string): any[] =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    expect(lines(body).map(({ target }) => target)).toEqual(Array.from({ length: 101 }, (_, at) => `n ${100 - at}`));
    const [newest] = lines(body);
    expect(newest).toEqual((await read('?action=export.test&limit=1')).records[0]);
    expect(lines((await exported(`?action=export&from=${newest.at}`)).body).length).toBeGreaterThan(0);
    expect((await exported(`?action=export&to=2020-01-01T00:00:00.000Z`)).body).toBe('');
    problemOf(await exported('?from=yesterday'), 'request.invalid');
    problemOf(await exported('', (await app.addPerson('editor')).cookie), 'auth.forbidden');
    problemOf(await app.call('GET', '/api/dashboard/audit/export', {}), 'auth.unauthorized');
  });

  test('tells from where documents were made public, and workflows published and deleted', async () => {
    const { id } = await app.store(tinyPng, 'image/png');
    const visible = await post(
      '/api/service/documents/visibility',
      { documentIds: [id], visibility: 'public' },
      app.seed.serviceKey,
    );
    expect(visible.status).toBe(200);
    expect(await on(id)).toEqual(['document.visibility from 127.0.0.1']);
    const graph = StoredGraph.parse({
      schemaVersion: 1,
      name: 'Audited',
      state: { out: {} },
      nodes: { a: { type: 'transform', config: { set: { out: '1' } } } },
      edges: [
        { from: 'START', to: 'a' },
        { from: 'a', to: 'END' },
      ],
    });
    const { projectId } = app.seed;
    const { body } = await post('/api/dashboard/workflows', { graph, projectId });
    await post(`/api/dashboard/workflows/${body.workflowId}/publish`, { baseVersion: 1 });
    await app.call('DELETE', `/api/dashboard/workflows/${body.workflowId}`, { cookie });
    expect(await on(body.workflowId)).toEqual(['workflow.delete from 127.0.0.1', 'workflow.publish from 127.0.0.1']);
  });

  test('tells who canceled runs and who answered them, not what they answered', async () => {
    const { deps } = app.app;
    const { workflowId, serviceKey } = app.seed;
    const ids = [await app.store(tinyPng, 'image/png'), await app.store(tinyPng, 'image/png')].map(({ id }) => id);
    const start = async () =>
      (await post('/api/service/workflow-executions', { workflowId, documentIds: ids }, serviceKey)).body;
    const execution = await start();
    const lease = (await deps.executions.claim('test', new Date())) as Lease;
    const question = { path: 'a', prompt: 'Right?', data: null, answerSchema: null, askedAt: new Date() };
    expect(await deps.executions.wait(lease, [question])).toBe(true);
    const { _id: asked } = lease.run;
    const resumed = await post(`/api/dashboard/runs/${asked}/resume`, { answer: 'walnut-4711' });
    expect(resumed.status).toBe(200);
    expect(await on(asked)).toEqual(['run.resume from 127.0.0.1']);
    expect(JSON.stringify(await read('?action=run&limit=100'))).not.toContain('walnut');
    const other = execution.runs.map(({ runId }: { runId: string }) => runId).find((runId: string) => runId !== asked);
    // One run alone is canceled over MCP only.
    const principal = await new Authenticator(deps.apiKeys, deps.logger).byKey(serviceKey, 'service-key');
    const { signal } = new AbortController();
    const ctx = { principal, requestId: 'test', surface: 'mcp' as const, ip: '192.0.2.9', signal, deps, outcome: {} };
    for (let twice = 0; twice < 2; twice += 1) await callTool(tools.cancelRun, ctx, { runId: other });
    expect(await on(other)).toEqual(['run.cancel from 192.0.2.9']);
    const whole = await start();
    const path = `/api/dashboard/executions/${whole.id}/cancel`;
    for (let twice = 0; twice < 2; twice += 1) expect((await post(path, {})).status).toBe(200);
    expect(await on(whole.id)).toEqual(['execution.cancel from 127.0.0.1']);
  });
});
