import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Authenticator } from '#src/auth/authenticate.ts';
import { hashKey, newKeySecret, type ApiKeyRecord, type KeyKind } from '#src/domain/access/api-key.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { createMcpApp } from '#http/mcp/app.ts';
import type { EndpointParts } from '#http/mcp/endpoint.ts';
import type { AnyTool } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { instructions } from '#mcp/instructions.ts';
import { memoryRecords } from '#test/mcp/transport/memory-records.ts';
import { useCase } from '#mcp/use-case.ts';
import type { Toolset } from '#mcp/view.ts';
import type { ApiKeyStore } from '#src/stores/api-keys.ts';

/** Keeps what was logged, for tests that say what must or must not stand there. */
export class LogBook implements Logger {
  readonly lines: { level: string; fields: object; message: string }[] = [];
  debug = (fields: object, message: string): void => void this.lines.push({ level: 'debug', fields, message });
  info = (fields: object, message: string): void => void this.lines.push({ level: 'info', fields, message });
  warn = (fields: object, message: string): void => void this.lines.push({ level: 'warn', fields, message });
  error = (fields: object, message: string): void => void this.lines.push({ level: 'error', fields, message });
  child = (): Logger => this;
}

/** Keys in memory: authentication itself is the real one. */
export class KeyRing implements ApiKeyStore {
  readonly #keys = new Map<string, ApiKeyRecord>();

  /** The secret of a new key. */
  add(kind: KeyKind, id: string): string {
    const secret = newKeySecret(kind);
    const now = new Date();
    this.#keys.set(hashKey(secret), {
      _id: id,
      hash: hashKey(secret),
      prefix: secret.slice(0, 12),
      kind,
      name: id,
      organizationId: 'org_1',
      projectId: 'prj_1',
      deviceId: null,
      agentGraphId: kind === 'workflow' ? 'wf_1' : null,
      createdBy: 'test',
      createdAt: now,
      expiresAt: null,
      lastUsedAt: now,
      revokedAt: null,
      replacedBy: null,
      graceUntil: null,
    });
    return secret;
  }

  async insert(key: ApiKeyRecord): Promise<void> {
    this.#keys.set(key.hash, key);
  }
  async findByHash(hash: string): Promise<ApiKeyRecord | null> {
    return this.#keys.get(hash) ?? null;
  }
  async find(_organizationId: string, id: string): Promise<ApiKeyRecord | null> {
    return [...this.#keys.values()].find((key) => key._id === id) ?? null;
  }
  async list(): Promise<readonly ApiKeyRecord[]> {
    return [...this.#keys.values()];
  }
  async listMadeBy(): Promise<readonly ApiKeyRecord[]> {
    return [];
  }
  async listBound(): Promise<readonly ApiKeyRecord[]> {
    return [];
  }
  async revoke(_organizationId: string, id: string, at: Date): Promise<boolean> {
    const key = await this.find('', id);
    if (key === null) return false;
    this.#keys.set(key.hash, { ...key, revokedAt: at });
    return true;
  }
  async replace(): Promise<boolean> {
    return false;
  }
  async touch(): Promise<void> {}
}

export interface Listener extends AsyncDisposable {
  readonly url: URL;
  readonly port: number;
  readonly keys: KeyRing;
  readonly log: LogBook;
  readonly secret: string;
  /** As the service does at its stop. */
  close(cutting: AbortSignal): Promise<void>;
}

type Choices = Partial<
  Pick<
    EndpointParts,
    'allowedHosts' | 'legacy' | 'limiters' | 'oauth' | 'recheckMs' | 'sessionLimits' | 'sessionRecords'
  >
> & {
  /** Keys that another listener has, too. */
  keys?: KeyRing;
  authenticate?: (keys: KeyRing, log: LogBook) => Authenticator;
  /** The toolset of each tool; core where it is not named. */
  toolsets?: Readonly<Record<string, Toolset>>;
  capabilities?: McpCatalog['capabilities'];
};

/** The real MCP app with made-up tools, on a free port. */
export async function listen(
  tools: readonly AnyTool[],
  { authenticate, keys = new KeyRing(), toolsets = {}, capabilities = {}, ...choices }: Choices = {},
): Promise<Listener> {
  const log = new LogBook();
  const deps = { logger: log, audit: { count: () => undefined } } as unknown as ToolDeps;
  const mcp = createMcpApp({
    authenticator: authenticate?.(keys, log) ?? new Authenticator(keys, log),
    deps,
    catalog: {
      tools: tools.map((tool) => useCase(tool, toolsets[tool.name] ?? 'core', deps)),
      parts: [],
      capabilities,
      instructions,
    },
    version: '0.0.0',
    allowedHosts: [],
    legacy: 'sessions',
    sessionRecords: memoryRecords(),
    ...choices,
    logger: log,
    metrics: {
      request() {},
      run() {},
      searchRetriever() {},
      removed() {},
      poolWait() {},
      text: async () => '',
      json: async () => [],
    },
    health: {
      health: () => Promise.reject(new Error('not asked here')),
      isDraining: () => false,
    },
    isOperator: () => false,
  });
  const server = createServer(mcp).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    port,
    keys,
    log,
    secret: keys.add('service', 'key_one'),
    close: (cutting) => mcp.close(cutting),
    async [Symbol.asyncDispose]() {
      await mcp.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const headersFor = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });

/** A client of the 2026-07-28 generation. */
export async function modernClient(url: URL, secret: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: headersFor(secret) }));
  return client;
}

/** A client of the 2025 generation, and its transport for the session id. */
export async function legacyClient(
  url: URL,
  secret: string,
): Promise<{ client: LegacyClient; transport: LegacyTransport }> {
  const client = new LegacyClient({ name: 'test', version: '1' });
  const transport = new LegacyTransport(url, { requestInit: headersFor(secret) });
  await client.connect(transport);
  return { client, transport };
}
