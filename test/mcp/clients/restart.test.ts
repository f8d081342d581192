import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import * as newest from '@modelcontextprotocol/client';
import * as sdk132 from '@modelcontextprotocol/sdk/client/index.js';
import * as sdk132Http from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { MCPServerStreamableHttp } from '@openai/agents';
import * as sdk125 from 'mcp-sdk-1.25/client/index.js';
import * as sdk125Http from 'mcp-sdk-1.25/client/streamableHttp.js';
import * as sdk129 from 'mcp-sdk-1.29/client/index.js';
import * as sdk129Http from 'mcp-sdk-1.29/client/streamableHttp.js';
import { expect } from 'vitest';
import { callOf, initialize, post } from '#test/mcp/raw.ts';
import { verifies } from '#test/support/verifies.ts';
import { startRestartable, type Restartable } from './restartable.ts';

/** A program that stays connected. */
interface Connected {
  /** Text of what `get_context` answers. */
  call(): Promise<string>;
  close(): Promise<void>;
}
const tool = 'get_context';

/** The versions have the same members; their types are of several packages. */
type Sdk = readonly [Pick<typeof sdk132, 'Client'>, Pick<typeof sdk132Http, 'StreamableHTTPClientTransport'>];
const ofSdk =
  ([{ Client }, { StreamableHTTPClientTransport }]: Sdk) =>
  async ({ url, headers }: Restartable): Promise<Connected> => {
    const client = new Client({ name: 'lasting', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return {
      call: async () => JSON.stringify(await client.callTool({ name: tool, arguments: {} })),
      close: () => client.close(),
    };
  };

async function langChain({ url, headers }: Restartable): Promise<Connected> {
  const client = new MultiServerMCPClient({ inkgraph: { url: url.href, headers } });
  const tools = await client.getTools();
  return {
    call: async () => JSON.stringify(await tools.find(({ name }) => name === tool)?.invoke({})),
    close: () => client.close(),
  };
}

async function openAiAgents({ url, headers }: Restartable): Promise<Connected> {
  const server = new MCPServerStreamableHttp({ name: 'inkgraph', url: url.href, requestInit: { headers } });
  await server.connect();
  return { call: async () => JSON.stringify(await server.callTool(tool, {})), close: () => server.close() };
}

const programs: Readonly<Record<string, (at: Restartable) => Promise<Connected>>> = {
  'SDK 1.25.3': ofSdk([sdk125, sdk125Http] as unknown as Sdk),
  'SDK 1.29.0': ofSdk([sdk129, sdk129Http] as unknown as Sdk),
  'SDK 1.32.2': ofSdk([sdk132, sdk132Http]),
  'SDK 2, which speaks 2025-11-25 by default': ofSdk([newest, newest] as unknown as Sdk),
  "LangChain's adapters": langChain,
  'OpenAI Agents': openAiAgents,
};

verifies(
  'mcp.sessions.restart',
  async () => {
    await using service = await startRestartable();
    const connected = await Promise.all(
      Object.entries(programs).map(async ([name, connect]) => [name, await connect(service)] as const),
    );
    const opened = await post(service, initialize('2025-11-25'), service.headers);
    const session = { ...service.headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? 'none' };
    const callAll = async (): Promise<unknown> => {
      const answers = connected.map(async ([name, { call }]) => [
        name,
        await call().then(
          (text) => text.includes('org_'),
          (error: unknown) => String(error),
        ),
      ]);
      return Object.fromEntries(await Promise.all(answers));
    };
    const served = Object.fromEntries(Object.keys(programs).map((name) => [name, true]));
    expect(await callAll()).toEqual(served);
    await service.restart();
    expect(await callAll()).toEqual(served);
    expect(await callAll()).toEqual(served);
    await using beside = await service.startBeside();
    const other = { url: new URL('/mcp', beside.addresses.mcp) };
    expect(await post(other, callOf(tool), session)).toMatchObject({
      status: 200,
      text: expect.stringContaining('org_'),
    });
    expect(await post(service, callOf(tool), session)).toMatchObject({ status: 200 });
    for (const [, { close }] of connected) await close();
  },
  { timeout: 150_000 },
);
