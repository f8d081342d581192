import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createS3ObjectStore, type S3ObjectStore } from '#src/adapters/objects/s3/store.ts';
import { doctor } from '#scripts/doctor.ts';
import { findProgram, mayMissPrograms, radosGateway, swiftProxy } from '#scripts/check/programs.ts';
import { objectStoreConformance } from '#test/conformance/object-store.ts';
import { errorCodeOf, inMinutes, temporaryFolder } from '#test/support/objects.ts';
import { runCommand } from '#test/support/command.ts';
import { startSwift } from '#test/support/servers/swift-server.ts';
import { startCeph } from '#scripts/servers/ceph.ts';
import type { S3Server } from '#scripts/servers/local-service.ts';
import { fixture, startTestApp, tinyPng } from '#test/support/test-app.ts';

const services = [
  { name: 'Ceph', program: radosGateway, start: startCeph, refusesRaces: true },
  { name: 'Swift', program: swiftProxy, start: startSwift, refusesRaces: false },
] as const;
const origins = ['http://localhost:3000'];
const times = { connectMs: 500, answerMs: 1_000 };

// Both start at once, which is mostly waiting; the suite of a service that does not start says why.
const early: { readonly begin: () => void; readonly end: () => Promise<void> }[] = [];
beforeAll(() => {
  for (const { begin } of early) begin();
});
afterAll(async () => {
  await Promise.allSettled(early.map(({ end }) => end()));
});

for (const { name, program, start, refusesRaces } of services) {
  const missing = findProgram(program) === null && mayMissPrograms();
  describe.skipIf(missing)(missing ? program.missing : `On ${name}`, () => {
    let started: Promise<S3Server> | null = null;
    const server = (): Promise<S3Server> => (started ??= start());
    early.push({
      begin: () => void (missing || server().catch(() => undefined)),
      end: async () => (await started)?.[Symbol.asyncDispose](),
    });
    beforeAll(async () => {
      await server();
    }, 120_000);
    const open = async (): Promise<S3ObjectStore> =>
      createS3ObjectStore({ settings: (await server()).settings, maxBytes: 8 * 2 ** 20, origins });

    objectStoreConformance(`a bucket of ${name}`, async () => {
      const store = await open();
      return { store, refusesRaces, close: () => store.close() };
    });
    swaps(open);
    leftCopies(server);
    foreignRules(server);
    faults(server);
    doctorLooks(server);
    wholeWay(server);
  });
}

type Fault = 'none' | 'unavailable' | 'hang' | 'cut' | 'half';

/** Stands before a service: passes requests on, or fails them. `before` sees each request that is passed on. */
class FaultyLine implements AsyncDisposable {
  fault: Fault = 'none';
  before: (request: IncomingMessage) => Promise<void> = async () => undefined;
  /** True for a request that is answered with 403. */
  refuses: (request: IncomingMessage) => boolean = () => false;
  readonly #server = createServer((request, response) => void this.#pass(request, response));
  readonly #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { fault } = this;
    if (fault === 'hang') return;
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'unavailable') return void response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    if (this.refuses(request)) return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    await this.before(request);
    const { method, url, headers } = request;
    const { hostname, port } = this.#target;
    const onward = forward({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fault === 'none') answer.pipe(response);
      else
        answer.once('data', (chunk: Buffer) =>
          response.write(chunk.subarray(0, chunk.length / 2), () => response.destroy()),
        );
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function upload(store: S3ObjectStore, key: string, body: Buffer): Promise<() => Promise<number>> {
  const request = { key, contentLength: body.length, contentType: 'image/png', expiresAt: inMinutes(5) };
  const { url, headers } = await store.presignPut(request);
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })).status).toBe(200);
  return async () => (await fetch(url, { method: 'PUT', headers, body: Buffer.alloc(body.length, 'x') })).status;
}

function swaps(open: () => Promise<S3ObjectStore>): void {
  test('bytes that take the place of an upload are not pinned in its name', async () => {
    const store = await open();
    const replay = await upload(store, 'uploads/swap/a.png', tinyPng);
    const { etag = '' } = (await store.head('uploads/swap/a.png')) ?? {};
    expect([200, 412]).toContain(await replay());
    if (store.abilities?.writeOnce === true) expect((await store.head('uploads/swap/a.png'))?.etag).toBe(etag);
    // A deletion frees the key for the address on every service.
    await store.delete('uploads/swap/a.png');
    expect(await replay()).toBe(200);
    expect(await errorCodeOf(store.copy('uploads/swap/a.png', 'documents/swap/a.png', etag))).toBe('object.not_found');
    expect(await store.head('documents/swap/a.png')).toBeNull();
    await store.close();
  });
}

function leftCopies(server: () => Promise<S3Server>): void {
  test('a copy of swapped bytes that could not be checked is not taken for the upload later', async () => {
    const { settings } = await server();
    await using line = new FaultyLine(settings.endpoint ?? '');
    const direct = await createS3ObjectStore({ settings, maxBytes: 1_000_000, origins });
    const endpoint = await line.listen();
    const store = await createS3ObjectStore({ settings: { ...settings, endpoint }, maxBytes: 1_000_000, origins });
    const [from, to] = ['uploads/left/a.png', 'documents/left/a.png'];
    const replay = await upload(direct, from, tinyPng);
    const { etag = '' } = (await direct.head(from)) ?? {};
    line.before = async ({ headers }) => {
      if (headers['x-amz-copy-source'] === undefined) return;
      await direct.delete(from);
      expect(await replay()).toBe(200);
      line.fault = 'unavailable';
    };
    // Swift refuses the copy; Ceph makes it, and the look at it fails.
    expect(['service.unavailable', 'object.not_found']).toContain(await errorCodeOf(store.copy(from, to, etag)));
    line.fault = 'none';
    line.before = async () => undefined;
    // The checked bytes are back, as at an acknowledgement that is sent again.
    await direct.delete(from);
    await direct.put(from, tinyPng, 'image/png');
    const again = await errorCodeOf(store.copy(from, to, etag));
    const pinned = await direct.get(to);
    expect({ again, isChecked: pinned?.equals(tinyPng) }).toEqual(
      direct.abilities?.copyIfMatch === true
        ? { again: 'none', isChecked: true }
        : { again: 'object.exists', isChecked: false },
    );
    await store.close();
    await direct.close();
  });
}

function foreignRules(server: () => Promise<S3Server>): void {
  test('rules of a bucket that may not be read are not replaced', async () => {
    const { settings } = await server();
    await using line = new FaultyLine(settings.endpoint ?? '');
    const isOfRules = ({ url = '' }: IncomingMessage): boolean => /[?&](?:lifecycle|cors)\b/.test(url);
    const written: string[] = [];
    line.refuses = (request) => request.method === 'GET' && isOfRules(request);
    line.before = async (request) => {
      if (isOfRules(request)) written.push(`${request.method} ${request.url}`);
    };
    const endpoint = await line.listen();
    const store = await createS3ObjectStore({ settings: { ...settings, endpoint }, maxBytes: 1_000_000, origins });
    expect(written).toEqual([]);
    expect(store.abilities).toMatchObject({ lifecycle: false, cors: false });
    await store.close();
  });
}

function faults(server: () => Promise<S3Server>): void {
  test('a copy of bytes that were swapped after the last look is found out, and goes', async () => {
    const { settings } = await server();
    await using line = new FaultyLine(settings.endpoint ?? '');
    const direct = await createS3ObjectStore({ settings, maxBytes: 1_000_000, origins });
    const store = await createS3ObjectStore({
      settings: { ...settings, endpoint: await line.listen() },
      maxBytes: 1_000_000,
      origins,
    });
    const replay = await upload(direct, 'uploads/race/a.png', tinyPng);
    const { etag = '' } = (await direct.head('uploads/race/a.png')) ?? {};
    line.before = async ({ headers }) => {
      if (headers['x-amz-copy-source'] === undefined) return;
      await direct.delete('uploads/race/a.png');
      expect(await replay()).toBe(200);
    };
    expect(await errorCodeOf(store.copy('uploads/race/a.png', 'documents/race/a.png', etag))).toBe('object.not_found');
    expect(await direct.head('documents/race/a.png')).toBeNull();
    await store.close();
    await direct.close();
  });

  test('a service that fails, hangs or stops in the middle is an error soon, and everything works when it is back', async () => {
    const { settings } = await server();
    await using line = new FaultyLine(settings.endpoint ?? '');
    const endpoint = await line.listen();
    const store = await createS3ObjectStore({
      settings: { ...settings, endpoint },
      maxBytes: 1_000_000,
      origins,
      times,
    });
    const body = Buffer.alloc(300_000, 'b');
    const { etag } = await store.put('faults/kept', body, 'image/png');
    for (const fault of ['unavailable', 'hang', 'cut', 'half'] as const) {
      line.fault = fault;
      const reads = [store.get('faults/kept'), store.read('faults/kept'), store.getRange('faults/kept', 10, 200_000)];
      const others =
        fault === 'half'
          ? []
          : [
              store.head('faults/kept'),
              store.put(`faults/${fault}`, body, 'image/png'),
              store.copy('faults/kept', `faults/copy-${fault}`, etag),
              store.delete('faults/kept'),
              store.deleteAll(['faults/kept']),
              store.check(),
            ];
      const codes = await Promise.all([...reads, ...others].map(errorCodeOf));
      expect(new Set(codes), fault).toEqual(new Set(['service.unavailable']));
      // Signing asks nobody.
      const request = { key: 'faults/new', contentLength: 1, contentType: 'image/png', expiresAt: inMinutes(5) };
      expect((await store.presignPut(request)).url).toContain(endpoint);
      line.fault = 'none';
      expect((await store.get('faults/kept', { ifMatch: etag }))?.equals(body)).toBe(true);
    }
    await store.close();
  }, 60_000);
}

function doctorLooks(server: () => Promise<S3Server>): void {
  test('the doctor tries the bucket, and a bucket that is missing or refused is told with what to do', async () => {
    const { settings } = await server();
    const folder = await temporaryFolder();
    const env = { ...variablesOf(settings), DATA_DIR: folder.path, API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0' };
    const well = await runCommand(doctor, [], { env });
    expect(well.out).toContain(`ok   bucket ${settings.bucket} stores, copies and deletes objects (`);
    expect(well.out).not.toContain(settings.credentials?.secretAccessKey);
    const missing = await runCommand(doctor, [], { env: { ...env, S3_BUCKET: 'no-such-bucket' } });
    expect(missing.out).toMatch(/FAIL S3_BUCKET cannot be used: .*no-such-bucket.*Create it/);
    const refused = await runCommand(doctor, [], { env: { ...env, S3_SECRET_ACCESS_KEY: 'another' } });
    expect(refused.out).toMatch(/FAIL S3_BUCKET cannot be used: .*refused \(403\)/);
    expect([well.code, missing.code, refused.code]).toEqual([0, 1, 1]);
    await folder.remove();
  });
}

/** Settings of the product for a service. */
function variablesOf({ bucket, endpoint, credentials }: S3Server['settings']): Record<string, string> {
  const { accessKeyId = '', secretAccessKey = '' } = credentials ?? {};
  return {
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint ?? '',
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  };
}

function wholeWay(server: () => Promise<S3Server>): void {
  test('an upload goes the whole way: stored, acknowledged, read, shown and deleted, and nothing stays', async () => {
    const { settings } = await server();
    await using line = new FaultyLine(settings.endpoint ?? '');
    const endpoint = await line.listen();
    const { accessKeyId = '' } = settings.credentials ?? {};
    line.fault = 'unavailable';
    await using app = await startTestApp({
      env: { ...variablesOf(settings), S3_ENDPOINT: endpoint },
    });
    const { workflowKey: key, serviceKey } = app.seed;
    // A start while the service is away: all else is served, and its return needs no other start.
    expect((await app.call('GET', '/health')).body.checks.objects).toMatchObject({ status: 'error' });
    line.fault = 'none';
    const abilities = { writeOnce: expect.any(Boolean), copyIfMatch: expect.any(Boolean), cors: expect.any(Boolean) };
    const back = async (): Promise<unknown> => (await app.call('GET', '/health')).body.checks.objects;
    await expect.poll(back).toMatchObject({ status: 'ok', abilities });
    const scan = await fixture('receipt.jpg');
    const objectKey = await app.put(scan, 'image/jpeg');
    line.fault = 'unavailable';
    const refused = await app.call('POST', '/api/uploads/ack', { key, body: { objectKey } });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'service.unavailable' });
    expect(JSON.stringify(refused.body)).not.toContain(accessKeyId);
    line.fault = 'none';
    const { status, body } = await app.call('POST', '/api/uploads/ack', { key, body: { objectKey } });
    expect({ status, code: body.code }).toEqual({ status: 201, code: undefined });
    await app.app.idle();
    const cookie = await app.signIn();
    const card = await app.call('GET', `/api/dashboard/documents/${body.document.id}`, { cookie });
    expect(card.status).toBe(200);
    expect(
      (await fetch(new URL(card.body.thumbnailUrl ?? card.body.document.thumbnailUrl, app.addresses.api))).status,
    ).toBe(200);
    const found = await app.call('GET', `/api/service/documents/${body.document.id}`, { key: serviceKey });
    expect(found.body.document ?? found.body).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await keysIn(settings)).toContainEqual(expect.stringMatching(/^documents\/.*original\.jpg$/));
    const deleted = await app.call('DELETE', `/api/dashboard/documents/${body.document.id}`, { cookie });
    expect(deleted.status).toBeLessThan(300);
    await app.app.idle();
    expect((await keysIn(settings)).filter((name) => name.includes(body.document.id) || name === objectKey)).toEqual(
      [],
    );
  }, 60_000);
}

async function keysIn({ bucket, endpoint, credentials, ...rest }: S3Server['settings']): Promise<readonly string[]> {
  const client = new S3Client({ ...rest, endpoint: endpoint ?? '', ...(credentials !== null && { credentials }) });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  client.destroy();
  return Contents.map(({ Key = '' }) => Key);
}
