import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { compose, type App, type Overrides } from '#app/compose.ts';
import type { Role } from '#src/contracts/organization/member.ts';
import type { Addresses } from '#app/compose/addresses.ts';
import { loadConfig, type Config } from '#src/config/config.ts';
import { seed, type Seed } from '#app/compose/seed.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { warmOcr } from '#test/adapters/ocr/warm-ocr.ts';
import { warmCompute } from '#test/adapters/threads/warm-compute.ts';
import { quickPasswords } from '#test/auth/support/quick-passwords.ts';
import { layOutSeeded } from '#test/support/template-folder.ts';

/** Response of the server; `body` is parsed JSON, or the text where it is none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export interface CallOptions {
  readonly key?: string | undefined;
  /** Header `Cookie`: what `signIn` answers. */
  readonly cookie?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
}

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly cookie: string;
}

export interface TestApp extends AsyncDisposable {
  readonly app: App;
  readonly config: Config;
  readonly addresses: Addresses;
  readonly seed: Seed;
  readonly dataDir: string;
  /** One request to the API; `path` may be an absolute URL. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The cookie of a new session; of the seeded operator, an owner, where nobody is named. */
  signIn(person?: { email: string; password: string }): Promise<string>;
  /** A new user, as sign-up makes one, and a member of the seeded organization where a role is given. */
  addPerson(role?: Role): Promise<Person>;
  /** Presign and PUT with the workflow key: the object key, ready to be acknowledged. */
  put(bytes: Buffer, contentType: string, key?: string, filename?: string): Promise<string>;
  /** Presign, PUT and ack with the workflow key: the document. */
  ingest(bytes: Buffer, contentType: string, filename?: string): Promise<any>;
  /** The same with the service key: a document that no workflow has seen. */
  store(bytes: Buffer, contentType: string, visibility?: 'private' | 'public'): Promise<any>;
}

export function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(`../fixtures/${name}`, import.meta.url));
}

/** A PNG of 1 x 1 pixel: the smallest thing that is a document. */
export const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = /json(;|$)/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}

async function call(base: string, method: string, path: string, options: CallOptions): Promise<Answer> {
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      ...(options.key === undefined ? {} : { 'x-api-key': options.key }),
      ...(options.cookie === undefined ? {} : { cookie: options.cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  return answerOf(response);
}

let people = 0;

function sessions(app: App, base: string, seeded: Seed) {
  const signIn = async (person?: { email: string; password: string }): Promise<string> => {
    const { email, password } = person ?? { email: seeded.operatorEmail, password: seeded.operatorPassword };
    const { status, headers, body } = await call(base, 'POST', '/api/auth/sign-in/email', {
      body: { email, password },
    });
    if (status !== 200) throw new Error(`sign-in answered ${status}: ${JSON.stringify(body)}`);
    return headers
      .getSetCookie()
      .map((line) => line.slice(0, line.indexOf(';')))
      .join('; ');
  };
  return {
    signIn,
    async addPerson(role?: Role): Promise<Person> {
      people += 1;
      const person = { email: `person-${people}@example.com`, password: `password of person ${people}` };
      const userId = await app.sessions.signUp({ ...person, name: `Person ${people}` });
      const { organizationId } = seeded;
      if (role !== undefined) await app.deps.members.add({ organizationId, userId, role });
      return { ...person, userId, cookie: await signIn(person) };
    },
  };
}

function uploads(base: string, seeded: Seed) {
  const put: TestApp['put'] = async (bytes, contentType, key = seeded.workflowKey, filename) => {
    const service = key.startsWith('ink_svc_');
    const { status, body } = await call(base, 'POST', `/api/${service ? 'service/' : ''}uploads/presign`, {
      key,
      body: { contentType, size: bytes.length, filename, ...(service ? { visibility: 'private' } : {}) },
    });
    if (status !== 200) throw new Error(`presign answered ${status}: ${JSON.stringify(body)}`);
    const stored = await fetch(body.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
    if (stored.status !== 200) throw new Error(`PUT answered ${stored.status}: ${await stored.text()}`);
    return body.objectKey as string;
  };
  return {
    put,
    async ingest(bytes: Buffer, contentType: string, filename?: string) {
      const objectKey = await put(bytes, contentType, seeded.workflowKey, filename);
      const { status, body } = await call(base, 'POST', '/api/uploads/ack', {
        key: seeded.workflowKey,
        body: { objectKey },
      });
      if (status !== 201) throw new Error(`ack answered ${status}: ${JSON.stringify(body)}`);
      return body.document;
    },
    async store(bytes: Buffer, contentType: string, visibility = 'private') {
      const key = seeded.serviceKey;
      const presigned = await call(base, 'POST', '/api/service/uploads/presign', {
        key,
        body: { contentType, size: bytes.length, visibility },
      });
      await fetch(presigned.body.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
      const { objectKey } = presigned.body;
      const { status, body } = await call(base, 'POST', '/api/service/uploads/ack', {
        key,
        body: { objectKey, idempotencyKey: objectKey.slice(-100) },
      });
      if (status !== 201) throw new Error(`ack answered ${status}: ${JSON.stringify(body)}`);
      return body.document;
    },
  };
}

export interface TestAppOptions {
  /** Environment of the app; ports are free ones and rate limits off unless said otherwise. */
  readonly env?: Record<string, string>;
  readonly overrides?: Overrides;
  /** A folder of an earlier app; kept when this one ends. */
  readonly dataDir?: string;
}

/** The real app with all embedded parts on free ports over a temporary folder, seeded. */
export async function startTestApp({ env = {}, overrides = {}, dataDir }: TestAppOptions = {}): Promise<TestApp> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'inkgraph-')));
  if (dataDir === undefined) await layOutSeeded(folder, { env, overrides });
  const config = loadConfig({
    DATA_DIR: folder,
    API_PORT: '0',
    AGENTS_PORT: '0',
    MCP_PORT: '0',
    OBJECTS_PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    WEB: 'off',
    ...env,
  });
  const app = await compose(config, {
    logger: createPinoLogger(config.logLevel),
    drainMs: 1_000,
    passwords: quickPasswords,
    openDatabase: openOnWarmThread,
    compute: warmCompute,
    ...(Object.keys(env).some((name) => name.startsWith('OCR_')) ? {} : { ocr: warmOcr }),
    ...overrides,
  });
  const addresses = await app.start();
  const seeded = await seed(app, config);
  return {
    app,
    config,
    addresses,
    seed: seeded,
    dataDir: folder,
    call: (method, path, options = {}) => call(addresses.api, method, path, options),
    ...sessions(app, addresses.api, seeded),
    ...uploads(addresses.api, seeded),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
