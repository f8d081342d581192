import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenStreams } from '#http/mcp/open-streams.ts';
import { listen, type Listener } from '#test/mcp/listener.ts';
import { initialize, post } from '#test/mcp/raw.ts';
import { sampleTools } from '#test/mcp/sample-tools.ts';
import { send } from '#test/mcp/work/modern-wire.ts';

let at: Listener;
beforeAll(async () => {
  at = await listen(sampleTools, { capabilities: { tools: { listChanged: true } } });
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const listening = (secret: string, signal: AbortSignal): Promise<Response> =>
  send(
    { url: at.url, secret },
    { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } }, signal },
  );

describe('the number of streams', () => {
  it('is bounded for each credential, of both generations, and a place that is given back can be taken', async () => {
    const leaving = new AbortController();
    const greedy = at.keys.add('service', 'key_greedy');
    const opened = await Promise.all(Array.from({ length: 40 }, () => listening(greedy, leaving.signal)));
    const refused = opened.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(8);
    expect(await refused[0]?.json()).toMatchObject({ code: 'request.rate_limited' });
    const headers = { authorization: `Bearer ${greedy}`, accept: 'text/event-stream' };
    const hello = await post(at, initialize('2025-11-25'), { authorization: headers.authorization });
    const session = { ...headers, 'mcp-session-id': hello.headers.get('mcp-session-id') ?? 'none' };
    expect((await fetch(at.url, { headers: session })).status).toBe(429);
    const other = await listening(at.secret, leaving.signal);
    expect(other.status).toBe(200);
    leaving.abort();
    const again = async (): Promise<number> => {
      const left = new AbortController();
      const { status } = await listening(greedy, left.signal);
      left.abort();
      return status;
    };
    await expect.poll(again).toBe(200);
  });
});

describe('a reader that never reads', () => {
  it('loses its stream before what waits for it fills the memory', async () => {
    const standing = new OpenStreams({ logger: at.log, everyMs: 60_000 });
    const gone = Promise.withResolvers<void>();
    let sent = 0;
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (own) => void (controller = own),
      cancel: () => gone.resolve(),
    });
    const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const guarded = standing.guard(response, { name: 'one', isValid: async () => true });
    const isOver = gone.promise.then(() => true);
    const chunk = new Uint8Array(64 * 1024);
    // As the SDK does, without waiting for anybody.
    while (!(await Promise.race([isOver, new Promise<false>((resolve) => setImmediate(resolve, false))]))) {
      controller?.enqueue(chunk);
      sent += chunk.length;
      expect(sent).toBeLessThan(16 * 1024 * 1024);
    }
    expect(standing.size).toBe(0);
    await expect(guarded.text()).rejects.toThrow('takes nothing');
  });

  it('that does read gets everything, however much it is', async () => {
    const standing = new OpenStreams({ logger: at.log, everyMs: 60_000 });
    const chunk = new Uint8Array(1024 * 1024);
    let left = 32;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left > 0) controller.enqueue(chunk);
        else controller.close();
        left -= 1;
      },
    });
    const response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const guarded = standing.guard(response, { name: 'one', isValid: async () => true });
    let read = 0;
    for await (const part of guarded.body ?? []) read += (part as Uint8Array).length;
    expect(read).toBe(32 * 1024 * 1024);
  });
});
