import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { asAuthInfo, type McpCaller } from '#mcp/caller.ts';
import { TaskStreams } from '#mcp/tasks/task-streams.ts';
import { tasksExtension, type Task } from '#mcp/tasks/tasks.ts';

const acknowledged = { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } };
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });
const result = { id: 7, result: { resultType: 'complete' } };
const frame = (message: object): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const caller = { principal: { actorId: 'key_1', scopes: new Set() }, requestId: 'r' } as unknown as McpCaller;

/** The messages that a client gets where the SDK's stream comes in these pieces of bytes. */
async function passed(pieces: readonly Uint8Array[]): Promise<{ method?: string; params?: { uri?: string } }[]> {
  const task = { status: 'completed', taskId: 'exec_1', createdAt: new Date(), lastUpdatedAt: new Date() };
  const streams = new TaskStreams(
    {
      get: async () => ({ ...task, ttlMs: null, pollIntervalMs: 1, result: { content: [] } }) as unknown as Task,
      update: async () => true,
      cancel: async () => true,
      watch: () => () => undefined,
    },
    () => true,
  );
  const inner = ReadableStream.from(pieces) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const fetch = streams.over(async () => new Response(inner, { headers: { 'content-type': 'text/event-stream' } }));
  const _meta = { [CLIENT_CAPABILITIES_META_KEY]: { extensions: { [tasksExtension]: {} } } };
  const params = { _meta, notifications: { resourceSubscriptions: ['inkgraph://runs/a'], taskIds: [] } };
  const response = await fetch(new Request('http://localhost/mcp'), {
    authInfo: asAuthInfo(caller),
    parsedBody: { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params },
  });
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as { method?: string });
}

const encoder = new TextEncoder();
const everything = [acknowledged, updated('inkgraph://runs/a'), updated('inkgraph://runs/ä'), result];

/** Each notification once, and in order. */
function expectAll(messages: Awaited<ReturnType<typeof passed>>): void {
  expect(messages.flatMap(({ method, params }) => params?.uri ?? method ?? [])).toEqual([
    acknowledged.method,
    'inkgraph://runs/a',
    'inkgraph://runs/ä',
  ]);
}

test('every message passes when each frame comes by itself', async () => {
  expectAll(await passed(everything.map((one) => encoder.encode(frame(one)))));
});

test('every message passes when all frames come in one chunk', async () => {
  expectAll(await passed([encoder.encode(everything.map(frame).join(''))]));
});

test('every message passes when a frame comes in two chunks', async () => {
  const halves = everything.flatMap((one) => [frame(one).slice(0, 40), frame(one).slice(40)]);
  expectAll(await passed(halves.map((half) => encoder.encode(half))));
});

test('every message passes when each byte comes by itself', async () => {
  const bytes = encoder.encode(everything.map(frame).join(': keepalive\n\n'));
  expectAll(await passed(Array.from(bytes, (byte) => Uint8Array.of(byte))));
});
