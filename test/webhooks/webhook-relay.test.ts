import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebhookRelay } from '#app/agents/webhooks/webhook-relay.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import { executionIdOf } from '#src/domain/ids.ts';
import { webhookPayload, webhookTypesOf, type WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import { storesOf, testDatabase, type TestDatabase } from '#test/support/database.ts';
import { verifies } from '#test/support/verifies.ts';

const place = { organizationId: 'org_a', projectId: 'prj_a' };
const webhook: WebhookRecord = {
  ...place,
  _id: 'wh_a',
  url: 'https://example.com/',
  description: '',
  events: ['document.deleted', 'run.completed'],
  enabled: true,
  disabledReason: null,
  seq: 0,
  generation: 1,
  previousUntil: null,
  failingSince: null,
  createdBy: 'usr_a',
  createdAt: new Date(0),
};
const event = (number: number, more: Partial<RealtimeEvent> = {}): RealtimeEvent => ({
  ...place,
  dedupeId: `document.deleted:${number}`,
  type: 'document.deleted',
  at: new Date(0),
  documentId: `doc_${number}`,
  ...more,
});

let database: TestDatabase;
let stores: ReturnType<typeof storesOf>;
beforeAll(async () => {
  database = await testDatabase();
  stores = storesOf(database.client);
});
afterAll(() => database.close());

const relayWith = (parts: Partial<ConstructorParameters<typeof WebhookRelay>[0]>) =>
  new WebhookRelay({
    ...stores,
    logger: createPinoLogger('silent'),
    baseUrl: () => 'https://inkgraph.example/',
    pushed: () => undefined,
    ...parts,
  });
const stored = () => stores.deliveries.listOf('org_a', 'wh_a', { after: null, limit: 1_000 });

describe('the relay', () => {
  verifies('webhooks.lossless', async () => {
    await stores.webhooks.insert(webhook);
    await stores.webhooks.insert({ ...webhook, _id: 'wh_other', projectId: 'prj_b' });
    await stores.events.append(Array.from({ length: 450 }, (_, at) => event(at)));
    // One process dies before it stores a delivery, one after that and before it notes so.
    const dead = () => Promise.reject(new Error('killed'));
    for (const parts of [{ deliveries: { addAll: dead } }, { webhooks: { ...stores.webhooks, advance: dead } }]) {
      const relay = relayWith(parts);
      await relay.sweep();
      await relay.idle();
      await relay.stop();
    }
    expect(await stored()).toHaveLength(200);
    const [one, two] = [relayWith({}), relayWith({})];
    await Promise.all([one.sweep(), two.sweep()]);
    await Promise.all([one.idle(), two.idle()]);
    expect(new Set((await stored()).map(({ payload }) => JSON.parse(payload).data.documentId)).size).toBe(450);
    expect(await stored()).toHaveLength(450);
    expect(await stores.webhooks.find('org_a', 'wh_a')).toMatchObject({ seq: 450 });
    expect(await stores.deliveries.listOf('org_a', 'wh_other', { after: null, limit: 1 })).toEqual([]);
    // Events that are told of are relayed without a sweep.
    await stores.events.append([event(451)]);
    await one.idle();
    expect(await stored()).toHaveLength(451);
    await Promise.all([one.stop(), two.stop()]);
  });
});

describe('types of an event', () => {
  const ended = (status: string, more: Partial<RealtimeEvent> = {}) =>
    webhookTypesOf(event(1, { type: 'run.completed', executionId: 'exec_a', data: { status }, ...more }));
  test('an end of a run is also a failure, and also that of its upload', () => {
    const executionId = executionIdOf('doc_1');
    expect(ended('succeeded')).toEqual(['run.completed']);
    expect(ended('canceled')).toEqual(['run.completed']);
    expect(ended('timed_out')).toEqual(['run.completed', 'run.failed']);
    expect(ended('succeeded', { executionId })).toEqual(['run.completed', 'document.completed']);
    expect(ended('failed', { executionId })).toEqual(['run.completed', 'run.failed', 'document.failed']);
  });
  test('steps, drafts, experiments and what nodes emit are none', () => {
    expect(webhookTypesOf(event(1, { type: 'run.step.changed' }))).toEqual([]);
    expect(webhookTypesOf(event(1, { type: 'run.step.changed', dedupeId: 'run.waiting:run_a:1' }))).toEqual([
      'run.waiting',
    ]);
    expect(ended('failed', { data: { status: 'failed', draft: { revision: 1 } } })).toEqual([]);
    expect(webhookTypesOf(event(1, { type: 'experiment.changed' }))).toEqual([]);
    expect(webhookTypesOf(event(1, { type: 'workflow.emitted' }))).toEqual([]);
  });
  test('words of code of the operator stay out of the body, and its error is named', () => {
    const error = { code: 'run.node_failed', message: 'Secret', nodeId: 'vat' };
    const body = webhookPayload('x', event(1, { data: { error } }), 'https://inkgraph.example');
    expect(JSON.parse(body).data.error).toEqual({ code: 'run.node_failed', nodeId: 'vat' });
  });
  test('words of documents stay out of the body', () => {
    const words = { title: 'Secret', description: 'Secret', prompt: 'Secret', data: 'Secret', waitingFor: ['Secret'] };
    const body = webhookPayload('x', event(1, { data: { ...words, status: 'ok' } }), 'https://inkgraph.example');
    expect(body).not.toContain('Secret');
    expect(JSON.parse(body).data).toMatchObject({
      status: 'ok',
      links: { document: expect.stringContaining('doc_1') },
    });
  });
});
