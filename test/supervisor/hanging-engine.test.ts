import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Seed } from '#app/compose/seed.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import { untilFinished, uploadStubbornly } from '#scripts/chaos/stubborn-client.ts';
import { listenTo } from '#test/support/dashboard/realtime-client.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { verifies } from '#test/support/verifies.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let seed: Seed;
beforeEach(async () => {
  folder = await temporaryFolder();
  seed = await prepareFolder(folder.path);
});
afterEach(() => folder.remove());

const silence = 'does not answer, and its process lives';
const linesWith = ({ lines }: ServiceProcess, text: string): readonly string[] =>
  lines.filter((line) => line.includes(text));

const statusOf = (url: string): Promise<number | null> =>
  fetch(url).then(
    ({ status }) => status,
    () => null,
  );

async function ask(api: string): Promise<{ status: number; retryAfter: string | null; body: any }> {
  const answer = await fetch(`${api}/api/service/workflows`, { headers: { 'x-api-key': seed.serviceKey } });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
}

/** The header of a new session of the operator. */
async function signIn(api: string): Promise<string> {
  const answer = await fetch(`${api}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: seed.operatorEmail, password: seed.operatorPassword }),
  });
  return answer.headers
    .getSetCookie()
    .map((line) => line.slice(0, line.indexOf(';')))
    .join('; ');
}

async function connectAgent(mcp: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${seed.agentKey}` } };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', mcp), { requestInit });
  await client.connect(transport);
  return client;
}

/** A scan is uploaded, read and found again. */
async function works(api: string): Promise<string> {
  const way = { whereabouts: async () => api };
  const bytes = await readFile(new URL('../fixtures/note.gif', import.meta.url));
  const id = await uploadStubbornly(way, seed.workflowKey, { bytes, contentType: 'image/gif' });
  expect((await untilFinished(way, seed.serviceKey, id)).status).toBe('succeeded');
  return id;
}

verifies(
  'processes.engine_paused',
  async () => {
    await using service = await startService({ dataDir: folder.path, env: { API_DEBUG: 'true' } });
    const { api, mcp } = service.addresses;
    using feed = await listenTo(`${api}/api/dashboard/realtime`, { cookie: await signIn(api) });
    await feed.until(({ lastId }) => lastId !== '');
    const agent = await connectAgent(mcp);
    const before = (await agent.listTools()).tools.length;
    service.signal('SIGSTOP');
    try {
      // Both service processes say so.
      await expect.poll(() => linesWith(service, silence).length, { timeout: 60_000 }).toBe(2);
      const { status, retryAfter, body } = await ask(api);
      expect([status, body.code, body.detail]).toEqual([
        503,
        'service.unavailable',
        'The database does not respond. Retry in a few seconds.',
      ]);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    } finally {
      service.signal('SIGCONT');
    }
    await expect.poll(() => statusOf(`${api}/readyz`), { timeout: 20_000 }).toBe(200);
    const id = await works(api);
    await feed.event(({ event, data }) => event === 'run.completed' && data.documentId === id);
    expect((await agent.listTools()).tools).toHaveLength(before);
    await agent.close();
    expect(linesWith(service, 'answers again')).toHaveLength(2);
    expect(linesWith(service, 'ended by itself')).toEqual([]);
  },
  { timeout: 180_000 },
);

test('a service beside a paused engine answers 503 and stays up, one that starts waits, and the end of the engine is still survived', async () => {
  await using owner = await startService({ dataDir: folder.path, env: { SERVICES: 'agents' } });
  await using service = await startService({ dataDir: folder.path, env: { SERVICES: 'api' } });
  const { api } = service.addresses;
  owner.signal('SIGSTOP');
  const waits = Promise.withResolvers<void>();
  const heard = (line: string): void => (line.includes('The start goes on when') ? waits.resolve() : undefined);
  await service.said(silence);
  expect(await ask(api)).toMatchObject({ status: 503, body: { code: 'service.unavailable' } });
  const starting = startService({ dataDir: folder.path, env: { SERVICES: 'mcp' }, heard });
  await Promise.race([waits.promise, starting]);
  owner.signal('SIGCONT');
  await using late = await starting;
  expect(linesWith(late, 'The start goes on when')).toHaveLength(1);
  await expect.poll(() => statusOf(`${late.addresses.mcp}/readyz`), { timeout: 20_000 }).toBe(200);
  await expect.poll(() => statusOf(`${api}/readyz`), { timeout: 20_000 }).toBe(200);
  await works(api);
  // Paused again, and killed: now it is gone.
  owner.signal('SIGSTOP');
  await owner.kill();
  await expect.poll(() => statusOf(`${api}/readyz`), { timeout: 30_000 }).toBe(200);
  const taken = [...linesWith(service, 'this process runs it now'), ...linesWith(late, 'this process runs it now')];
  expect(taken).toHaveLength(1);
  expect([...linesWith(service, 'a vital part'), ...linesWith(late, 'a vital part')]).toEqual([]);
}, 180_000);
