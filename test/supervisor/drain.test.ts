import { Agent, get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sessionCookie } from '#src/contracts/route.ts';
import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import { readSeedFile } from '#test/supervisor/seed-file.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { layOutSeeded } from '#test/support/template-folder.ts';
import { tinyPng } from '#test/support/test-app.ts';

const token = 'a-token-of-the-test-of-drains';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
  // Migrations and the seed are not what is tried: a service finds them done.
  await layOutSeeded(folder.path, { env: {}, overrides: {} });
});
afterEach(() => folder.remove());

const start = (env: Record<string, string>): Promise<ServiceProcess> =>
  startService({ dataDir: folder.path, env: { API_DEBUG: 'true', DASHBOARD_SESSION_TOKEN: token, ...env } });

const statusOf = (url: string): Promise<number | string> =>
  fetch(url, { headers: { connection: 'close' } }).then(({ status }) => status, String);

/** One request over the only connection of an agent: its status, its header `Connection`, and whether the connection was open already. */
async function over(agent: Agent, url: string): Promise<readonly [number | undefined, string | undefined, boolean]> {
  const request = get(url, { agent });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await text(response);
  return [response.statusCode, response.headers.connection, request.reusedSocket];
}

/** Uploads and acknowledges. Returns the id of the document. */
async function upload(api: string, key: string): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const ask = async (path: string, body: object): Promise<any> => {
    const answer = await fetch(new URL(path, api), { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.json();
  };
  const wanted = { contentType: 'image/png', size: tinyPng.length };
  const { uploadUrl, objectKey } = await ask('/api/uploads/presign', wanted);
  expect((await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(tinyPng) })).status).toBe(200);
  return (await ask('/api/uploads/ack', { objectKey })).document.id;
}

test.each(['api', 'api,agents,mcp'])(
  'SERVICES=%s: a stop takes the process out of the balancer first, serves on meanwhile, and cuts nothing',
  async (services) => {
    await using service = await start({ SERVICES: services, DRAIN_SECONDS: '4' });
    const { api } = service.addresses;
    const { workflowKey, serviceKey } = await readSeedFile(folder.path);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await over(agent, `${api}/readyz`)).toEqual([200, 'keep-alive', false]);
    const feed = await fetch(`${api}/api/dashboard/realtime`, { headers: { cookie: `${sessionCookie}=${token}` } });
    expect(feed.status).toBe(200);
    const documentId = await upload(api, workflowKey);
    const execution = `${api}/api/service/workflow-executions/${documentId.replace('doc_', 'exec_')}`;
    const asked = { headers: { 'x-api-key': serviceKey } };
    await expect.poll(async () => (await fetch(execution, asked)).status).toBe(200);
    const waiting = fetch(`${execution}?wait=20`, asked);

    const before = performance.now();
    service.signal('SIGTERM');
    await expect.poll(() => statusOf(`${api}/readyz`)).toBe(503);
    expect(await over(agent, `${api}/livez`)).toEqual([200, 'close', true]);
    expect(await statusOf(`${api}/health`)).toBe(200);
    const late = await upload(api, workflowKey);

    // Both come to their end: `text` would reject for a connection that was cut.
    const seen = await feed.text();
    expect([seen.includes(documentId), seen.includes(late)]).toEqual([true, true]);
    const waited = await waiting;
    expect(waited.status).toBe(200);
    if (services === 'api') expect(await waited.json()).toMatchObject({ status: 'queued', finishedAt: null });
    expect(await service.ended).toBe(0);
    expect(performance.now() - before).toBeLessThan(12_000);
    agent.destroy();
  },
  60_000,
);

test('Ctrl-C stops without a drain', async () => {
  await using service = await start({ SERVICES: 'api', DRAIN_SECONDS: '600' });
  service.signal('SIGINT');
  expect(await service.ended).toBe(0);
}, 30_000);
