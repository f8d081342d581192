import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type AnyTool } from '#tools/define.ts';
import { listen, type Listener } from '#test/mcp/listener.ts';
import { callOf, initialize, post } from '#test/mcp/raw.ts';
import { callTool, send } from '#test/mcp/work/modern-wire.ts';

/** Answers when the test says so. */
function slow(calls: number): { tool: AnyTool; started: Promise<void>; finish(): void; cut: boolean } {
  const started = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  let left = calls;
  const state = { cut: false };
  const tool = defineTool({
    name: 'slow',
    description: 'Takes its time.',
    scope: null,
    effect: 'read',
    idempotent: true,
    input: z.strictObject({}),
    output: z.object({ word: z.string() }),
    async run({ signal }) {
      signal.addEventListener('abort', () => (state.cut = true), { once: true });
      left -= 1;
      if (left === 0) started.resolve();
      await finished.promise;
      return { word: 'done' };
    },
  });
  return Object.assign(state, {
    tool,
    started: started.promise,
    finish: () => finished.resolve(),
  });
}

/** Opens one stream of each generation, and a session. */
async function streams(at: Listener) {
  const wanted = { notifications: { toolsListChanged: true } };
  const modern = await send({ url: at.url, secret: at.secret }, { method: 'subscriptions/listen', params: wanted });
  const headers = { authorization: `Bearer ${at.secret}`, accept: 'application/json, text/event-stream' };
  const hello = await post(at, initialize('2025-11-25'), headers);
  const session = { ...headers, 'mcp-session-id': hello.headers.get('mcp-session-id') ?? 'none' };
  const legacy = await fetch(at.url, { headers: { ...session, accept: 'text/event-stream' } });
  expect([modern.status, legacy.status]).toEqual([200, 200]);
  return { modern, legacy, session };
}

const capabilities = { tools: { listChanged: true } };

it('a stop lets calls end, of both generations, and then ends the streams, of which none is cut', async () => {
  const { tool, started, finish } = slow(2);
  await using at = await listen([tool], { capabilities });
  const { modern, legacy, session } = await streams(at);
  const calls = Promise.all([
    callTool({ url: at.url, secret: at.secret }, 'slow', {}),
    post(at, callOf('slow'), session),
  ]);
  await started;
  const closed = at.close(new AbortController().signal);
  finish();
  const [one, other] = await calls;
  expect(one.result).toMatchObject({ structuredContent: { word: 'done' } });
  expect(other.json).toMatchObject({ result: { structuredContent: { word: 'done' } } });
  await closed;
  // The generation that knows ends of streams is told of it.
  expect(await modern.text()).toContain('"result"');
  await legacy.text();
});

it('a call that takes longer than a stop may take is cut', async () => {
  const call = slow(1);
  await using at = await listen([call.tool], { capabilities });
  const { modern, legacy } = await streams(at);
  const cutting = new AbortController();
  const answer = callTool({ url: at.url, secret: at.secret }, 'slow', {}).catch(() => null);
  await call.started;
  const closed = at.close(cutting.signal);
  cutting.abort();
  await closed;
  await Promise.all([modern.text(), legacy.text()]);
  expect(call.cut).toBe(true);
  call.finish();
  await answer;
});
