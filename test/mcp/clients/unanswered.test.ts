import { expect, test } from 'vitest';
import { Unanswered } from '#mcp/server/unanswered.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const request = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'tools/call', params: {} });
const answer = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} });

test('all who wait for the answers resume with the last one, and leave no timer that keeps the process alive', async () => {
  const unanswered = new Unanswered();
  await unanswered.settled(60_000);
  for (const id of [1, 2]) unanswered.received(request(id));
  const before = timers();
  // The end of standard input and its close both wait.
  const waits = Promise.all([unanswered.settled(60_000), unanswered.settled(60_000)]);
  for (const id of [1, 2]) unanswered.sent(answer(id));
  await waits;
  expect(timers()).toBe(before);
  unanswered.received(request(3));
  await unanswered.settled(1);
});
