import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { SessionEventStores, type SessionEvents } from '#mcp/server/event-store.ts';

function message(word: string): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { word } };
}

/** The words that come again after an event, and the stream they are of. */
async function after(events: SessionEvents, id: string): Promise<{ stream: string; words: unknown[] }> {
  const words: unknown[] = [];
  const stream = await events.replayEventsAfter(id, {
    async send(_, sent) {
      words.push((sent as { params?: { word?: unknown } }).params?.word);
    },
  });
  return { stream, words };
}

const opening = {} as JSONRPCMessage;

describe('what a session was sent', () => {
  it('comes again from any event on, of that stream alone', async () => {
    const events = new SessionEventStores().forSession();
    const opened = await events.storeEvent('stream.a', opening);
    const first = await events.storeEvent('stream.a', message('one'));
    await events.storeEvent('other', message('elsewhere'));
    await events.storeEvent('stream.a', message('two'));
    expect(await after(events, opened)).toEqual({ stream: 'stream.a', words: ['one', 'two'] });
    expect(await after(events, first)).toEqual({ stream: 'stream.a', words: ['two'] });
  });

  it('is not there for another session, nor for ids that never were', async () => {
    const memory = new SessionEventStores();
    const mine = memory.forSession();
    const opened = await mine.storeEvent('stream', opening);
    await mine.storeEvent('stream', message('secret'));
    expect((await after(memory.forSession(), opened)).words).toEqual([]);
    for (const id of ['', 'stream', 'stream.x', '.', '__proto__.0']) expect((await after(mine, id)).words).toEqual([]);
  });

  it('is kept up to a bound for each session, the latest of it', async () => {
    const { length } = JSON.stringify(message('word 1'));
    const events = new SessionEventStores({ total: 100_000, session: 3 * length }).forSession();
    const opened = await events.storeEvent('stream', opening);
    for (const count of [1, 2, 3, 4, 5]) await events.storeEvent('stream', message(`word ${count}`));
    const huge = await events.storeEvent('stream', message('x'.repeat(4 * length)));
    expect((await after(events, opened)).words).toEqual(['word 3', 'word 4', 'word 5']);
    expect(await after(events, huge)).toEqual({ stream: 'stream', words: [] });
  });

  it('is kept up to a bound for all sessions together, and let go with its session', async () => {
    const { length } = JSON.stringify(message('word 1'));
    const memory = new SessionEventStores({ total: 3 * length, session: 3 * length });
    const [early, late] = [memory.forSession(), memory.forSession()];
    for (const count of [1, 2]) await early.storeEvent('a', message(`word ${count}`));
    for (const count of [3, 4]) await late.storeEvent('b', message(`word ${count}`));
    expect((await after(early, 'a.0')).words).toEqual(['word 2']);
    expect((await after(late, 'b.0')).words).toEqual(['word 3', 'word 4']);
    expect(memory.bytes).toBe(3 * length);
    late.forget();
    expect(memory.bytes).toBe(length);
    early.forget();
    expect(memory.bytes).toBe(0);
  });
});
