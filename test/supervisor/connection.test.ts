import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { connectToSupervisor, type Channel } from '#app/supervisor/connection.ts';
import { noSiblings, shareWakes } from '#app/compose/processes/siblings.ts';
import type { ServiceMessage, SupervisorMessage } from '#app/supervisor/messages.ts';
import { realtimeEvent } from '#test/support/records.ts';

/** A channel whose other end is the test. */
class TestChannel extends EventEmitter {
  readonly sent: ServiceMessage[] = [];
  connected = true;
  send(message: ServiceMessage): void {
    this.sent.push(message);
  }
  disconnect(): void {
    this.connected = false;
  }
  receive(message: SupervisorMessage): void {
    this.emit('message', message);
  }
}

function open() {
  const channel = new TestChannel();
  return { channel, connection: connectToSupervisor(channel as unknown as Channel) };
}

test('a service tells and hears of work and events through its supervisor', async () => {
  const { channel, connection } = open();
  await using _connection = connection;
  const queue = shareWakes(createInProcessWakeQueue(), connection.siblings);
  const woken = Promise.withResolvers<number | undefined>();
  queue.consume((runs) => woken.resolve(runs));
  channel.receive({ kind: 'wake', delayMs: 0, runs: 3 });
  expect(await woken.promise).toBe(3);
  // A wake-up that came from a sibling is not sent back.
  expect(channel.sent).toEqual([]);
  await queue.notify({ delayMs: 7, runs: 2 });
  const event = { ...realtimeEvent('org_a'), seq: 1 };
  connection.siblings.tellEvents([event]);
  expect(channel.sent).toEqual([
    { kind: 'wake', delayMs: 7, runs: 2 },
    { kind: 'events', events: [event] },
  ]);
  const heard: unknown[] = [];
  const stop = connection.siblings.onEvents((events) => heard.push(...events));
  channel.receive({ kind: 'events', events: [event] });
  stop();
  channel.receive({ kind: 'events', events: [event] });
  expect(heard).toEqual([event]);
  await queue.close();
  await queue.notify();
});

test('a service answers for its metrics, and asks for those of its sibling', async () => {
  const { channel, connection } = open();
  await using _connection = connection;
  connection.siblings.serveMetrics(async () => [{ name: 'mine' }]);
  channel.receive({ kind: 'ask-metrics', id: 7 });
  await expect.poll(() => channel.sent).toEqual([{ kind: 'metrics', id: 7, metrics: [{ name: 'mine' }] }]);
  const asked = connection.siblings.metrics();
  channel.receive({ kind: 'metrics', id: 1, metrics: [{ name: 'theirs' }] });
  expect(await asked).toEqual([[{ name: 'theirs' }]]);
  // A sibling that is starting does not answer.
  expect(await connection.siblings.metrics()).toEqual([]);
});

test('pages that used up their limits are told to the sibling, and heard of', async () => {
  const { channel, connection } = open();
  await using _connection = connection;
  connection.siblings.tellSpent('org_a');
  expect(channel.sent).toEqual([{ kind: 'spent', organizationId: 'org_a' }]);
  const heard: string[] = [];
  connection.siblings.onSpent((organizationId) => heard.push(organizationId));
  channel.receive({ kind: 'spent', organizationId: 'org_b' });
  expect(heard).toEqual(['org_b']);
});

test('a service begins when it is told to, and stops when it is told to', async () => {
  const { channel, connection } = open();
  const ports = { api: 1, agents: 2, mcp: 3, objects: 4 };
  const beatMs = 10;
  channel.receive({ kind: 'begin', services: ['api'], ports, metricsPort: null, again: false, beatMs });
  expect(await connection.begin).toMatchObject({ services: ['api'], ports });
  await expect.poll(() => channel.sent).toContainEqual({ kind: 'beat' });
  channel.receive({ kind: 'stop', reason: 'SIGTERM' });
  expect(await connection.stopped).toBe('SIGTERM');
  await connection[Symbol.asyncDispose]();
  expect(channel.connected).toBe(false);
  // A closed channel swallows what is told.
  channel.sent.length = 0;
  connection.siblings.tellWake(0);
  expect(channel.sent).toEqual([]);
});

test('a service that is told to stop before it began, begins nothing', async () => {
  const { channel, connection } = open();
  await using _connection = connection;
  channel.receive({ kind: 'stop', reason: 'SIGTERM' });
  expect(await connection.begin).toBeNull();
});

test('a process without siblings tells and hears nothing', async () => {
  const queue = shareWakes(createInProcessWakeQueue(), noSiblings);
  const woken = Promise.withResolvers<void>();
  queue.consume(() => woken.resolve());
  await queue.notify();
  await woken.promise;
  await queue.close();
});
