import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { legacyClient, listen, modernClient, type Listener } from '#test/mcp/listener.ts';
import { callOf, initialize, post } from '#test/mcp/raw.ts';
import { sampleTools } from '#test/mcp/sample-tools.ts';

let at: Listener;
beforeAll(async () => {
  at = await listen(sampleTools);
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const text = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('clients of both generations', () => {
  it('a client of 2026-07-28 lists and calls tools, without a session', async () => {
    const client = await modernClient(at.url, at.secret);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(client.getInstructions()).toContain('get_context first');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(sampleTools.map((tool) => tool.name));
    const result = await client.callTool({ name: 'echo', arguments: { word: 'tea' } });
    expect(result.structuredContent).toEqual({ word: 'tea' });
    expect(text(result)).toBe('{"word":"tea"}');
    await client.close();
  });

  it('a client that negotiates ends up at the newest revision', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${at.secret}` } };
    await client.connect(new StreamableHTTPClientTransport(at.url, { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    await client.close();
  });

  it('a client of 2025-11-25 lists and calls tools in a session', async () => {
    const { client, transport } = await legacyClient(at.url, at.secret);
    expect(transport.sessionId).toBeTypeOf('string');
    expect(client.getInstructions()).toContain('get_context first');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(sampleTools.map((tool) => tool.name));
    const result = await client.callTool({ name: 'echo', arguments: { word: 'tea' } });
    expect(result.structuredContent).toEqual({ word: 'tea' });
    await transport.terminateSession();
    await client.close();
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'a client of %s gets the revision it asked for',
    async (revision) => {
      const authorization = `Bearer ${at.secret}`;
      const hello = await post(at, initialize(revision), { authorization });
      expect(hello.json).toMatchObject({ result: { protocolVersion: revision, serverInfo: { name: 'inkgraph' } } });
      const session = { authorization, 'mcp-session-id': hello.headers.get('mcp-session-id') };
      const headers = revision === '2025-03-26' ? session : { ...session, 'mcp-protocol-version': revision };
      expect((await post(at, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
      const called = await post(at, callOf('echo', { word: 'tea' }), headers);
      expect(called.json).toMatchObject({
        id: 2,
        result: { content: [{ type: 'text' }], structuredContent: { word: 'tea' } },
      });
    },
  );

  it('calls in parallel on one connection each get their own answer', async () => {
    const modern = await modernClient(at.url, at.secret);
    const { client: legacy } = await legacyClient(at.url, at.secret);
    const words = Array.from({ length: 40 }, (_, index) => `word ${index}`);
    const answers = await Promise.all(
      words.map((word, index) => (index % 2 === 0 ? modern : legacy).callTool({ name: 'echo', arguments: { word } })),
    );
    expect(answers.map((answer) => (answer.structuredContent as { word: string }).word)).toEqual(words);
    await Promise.all([modern.close(), legacy.close()]);
  });

  it('a tool hears which surface it is called from and by whom', async () => {
    const client = await modernClient(at.url, at.secret);
    const result = await client.callTool({ name: 'who' });
    expect(result.structuredContent).toEqual({ keyId: 'key_one', surface: 'mcp' });
    await client.close();
  });

  it('an unknown tool is a protocol error that says where the names are', async () => {
    const client = await modernClient(at.url, at.secret);
    await expect(client.callTool({ name: 'nope' })).rejects.toThrow(/tools\/list/);
    await client.close();
  });
});

describe('MCP_LEGACY', () => {
  it('stateless serves legacy clients without sessions', async () => {
    await using stateless = await listen(sampleTools, { legacy: 'stateless' });
    const { client, transport } = await legacyClient(stateless.url, stateless.secret);
    expect(transport.sessionId).toBeUndefined();
    const result = await client.callTool({ name: 'echo', arguments: { word: 'tea' } });
    expect(result.structuredContent).toEqual({ word: 'tea' });
    await client.close();
  });

  it('reject refuses legacy clients and names the revision to speak', async () => {
    await using strict = await listen(sampleTools, { legacy: 'reject' });
    const reply = await post(strict, initialize('2025-11-25'), { authorization: `Bearer ${strict.secret}` });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ error: { data: { supported: ['2026-07-28'] } } });
    const client = await modernClient(strict.url, strict.secret);
    expect((await client.listTools()).tools).not.toHaveLength(0);
    await client.close();
  });
});
