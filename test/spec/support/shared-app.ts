import { afterAll } from 'vitest';
import type { Collections } from '#src/stores/collections.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { startTestApp, type Answer, type TestApp, type TestAppOptions } from '#test/support/test-app.ts';

/** One credential's view of the API. */
export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface SharedApp extends TestApp {
  /** With the seeded service key. */
  readonly service: Client;
  /** With the seeded workflow key. */
  readonly uploader: Client;
  /** With any key; without one, with none. */
  client(key?: string): Client;
  /** Database of the app, over a connection of its own that is opened on first use. */
  stored(): Promise<Collections>;
}

/** One app for all tests of a file, without the MCP service unless `env` says so. It ends after the last test. */
export async function sharedApp({ env = {}, ...options }: TestAppOptions = {}): Promise<SharedApp> {
  const app = await startTestApp({ ...options, env: { SERVICES: 'api,agents', ...env } });
  let opened: ReturnType<typeof openCollections> | null = null;
  afterAll(async () => {
    await (await opened)?.[Symbol.asyncDispose]();
    await app[Symbol.asyncDispose]();
  });
  const client = (key?: string): Client => ({
    get: (path, headers = {}) => app.call('GET', path, { key, headers }),
    post: (path, body, headers = {}) => app.call('POST', path, { key, body, headers }),
    ask: (method, path, body) => app.call(method, path, { key, body }),
  });
  const stored = () => (opened ??= openCollections(app.dataDir));
  return { ...app, service: client(app.seed.serviceKey), uploader: client(app.seed.workflowKey), client, stored };
}
