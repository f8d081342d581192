import type { AnyClientBulkWriteModel, ClientBulkWriteOptions, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentStore } from '#src/stores/documents.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { Relay, type RelayParts } from '#app/agents/relay.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { outcomeOf, relayed } from '#test/agents/support/relayed.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { documentRecord, executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';

let database: TestDatabase;
let parts: RelayParts;
let wakes = 0;
beforeAll(async () => {
  database = await testDatabase();
  const wake = createInProcessWakeQueue();
  wake.consume(() => {
    wakes += 1;
  });
  parts = {
    documents: createDocumentStore(database.collections),
    executions: createExecutionStore(database.client, database.collections),
    events: createEventLog(database.collections),
    wake,
    logger: createPinoLogger('silent'),
    forget: async () => [],
    settleTrash: async () => undefined,
  };
});
afterAll(() => database.close());

async function uploaded(count = 1): Promise<DocumentRecord[]> {
  const documents = Array.from({ length: count }, () => uploadedDocument('wf_a'));
  for (const document of documents) await parts.documents.insert(document);
  return documents;
}

const outcome = (document: DocumentRecord) => outcomeOf(database, parts.events, document);

describe('The relay of outboxes', () => {
  test('turns an upload into one execution of the bound workflow, tells the feed, and wakes the workers', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const relay = new Relay(parts);
    const before = wakes;
    relay.push(document);
    await relay.idle();
    expect(await outcome(document)).toEqual(relayed);
    expect(wakes).toBeGreaterThan(before);
    const execution = await database.collections.executions.findOne({ organizationId: document.organizationId });
    expect(execution).toMatchObject({
      _id: document._id.replace('doc_', 'exec_'),
      workflowId: 'wf_a',
      version: null,
      source: 'upload',
      documentIds: [document._id],
      apiKeyId: document.apiKeyId,
    });
  });

  test('starts nothing for a document of the service, and tells the feed of it', async () => {
    const base = documentRecord({ family: 'service' });
    const entry = {
      id: `document/created:${base._id}`,
      name: 'document/created',
      ts: base.createdAt,
      data: { documentId: base._id },
    } as const;
    const document = { ...base, pendingEvents: [entry] };
    await parts.documents.insert(document);
    const relay = new Relay(parts);
    relay.push(document);
    await relay.idle();
    expect(await outcome(document)).toEqual({ runs: 0, executions: 0, events: ['document.created'], pending: 0 });
  });

  test('finds what a crash left behind, and a second look changes nothing', async () => {
    const documents = await uploaded(5);
    const relay = new Relay(parts);
    await relay.sweep();
    for (const document of documents) expect(await outcome(document)).toEqual(relayed);
    await relay.sweep();
    for (const document of documents) expect(await outcome(document)).toEqual(relayed);
  });

  test('the same document pushed and swept by two processes at once is relayed once', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const relays = [new Relay(parts), new Relay(parts), new Relay(parts)];
    for (const relay of relays) relay.push(document);
    await Promise.all(relays.map((relay) => relay.sweep()));
    await Promise.all(relays.map((relay) => relay.idle()));
    expect(await outcome(document)).toEqual(relayed);
  });

  const broken = async (): Promise<never> => Promise.reject(new Error('the process died here'));
  type Relayed = Parameters<RelayParts['executions']['relayUploads']>[0];
  /** A server that dies within the command has stored its first parts. */
  const afterParts = (store: (of: Relayed) => Promise<unknown>) => ({
    executions: { relayUploads: async (of: Relayed) => store(of).then(broken) },
  });
  const storeExecutions = ({ executions }: Relayed) =>
    database.collections.executions.insertMany(executions.map(({ execution }) => execution));
  const storeRuns = async (of: Relayed) => parts.executions.createPlaced(of.executions);
  /** An earlier attempt made a part of it, so that the rest is made step by step. */
  const inSteps = { relayUploads: async () => ({ created: false, left: null }) };
  test.each<[string, Partial<{ [Port in 'executions' | 'events' | 'documents' | 'wake']: object }>]>([
    ['before the places in the queue', { executions: { foresee: broken } }],
    ['before it took other places', { executions: { foresee: async () => null, inQueue: broken } }],
    ['before the command', { events: { appendBy: broken } }],
    ['of the server after the execution', afterParts(storeExecutions)],
    ['of the server after the run', afterParts(storeRuns)],
    [
      'of the server after the events',
      afterParts(async (of) => {
        await storeRuns(of);
        await database.collections.events.insertMany([...of.events]);
      }),
    ],
    ['before the execution', { executions: { ...inSteps, createPlaced: broken } }],
    ['before the wake-up', { executions: inSteps, wake: { notify: broken } }],
    ['before the feed is told', { executions: inSteps, events: { append: broken } }],
    ['before the outbox is emptied', { executions: inSteps, documents: { clearPendingEvents: broken } }],
  ])('a crash %s leaves the entry, and the next sweep makes everything once', async (_when, dying) => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const override = Object.fromEntries(
      Object.entries(dying).map(([port, methods]) => [port, { ...parts[port as keyof typeof dying], ...methods }]),
    );
    const dead = new Relay({ ...parts, ...override });
    dead.push(document);
    await dead.idle();
    expect((await outcome(document)).pending).toBe(1);
    await new Relay(parts).sweep();
    expect(await outcome(document)).toEqual(relayed);
  });

  test('a crash between the command and the wake-up leaves nothing to do but to look at the queue', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const dead = new Relay({ ...parts, wake: { ...parts.wake, notify: broken } });
    dead.push(document);
    await dead.idle();
    expect(await outcome(document)).toEqual(relayed);
    const [run] = await database.collections.runs.find({ documentId: document._id }).toArray();
    expect(run).toMatchObject({ status: 'queued', lane: 'bulk', rank: expect.any(Number) });
  });

  test('another process that was faster with the next number of the log costs no second execution', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const { organizationId } = document;
    const faster = createEventLog(database.collections);
    const createdAgain: unknown[] = [];
    const events = {
      ...parts.events,
      // The other process is faster between the look at the end of the log and the command.
      appendBy: ((organization, batch, write) =>
        parts.events.appendBy(organization, batch, async (rows) => {
          await faster.append([realtimeEvent(organization)]);
          return write(rows);
        })) satisfies RelayParts['events']['appendBy'],
    };
    const executions = {
      ...parts.executions,
      createPlaced: async (placed: Parameters<RelayParts['executions']['createPlaced']>[0]) => {
        createdAgain.push(placed);
        await parts.executions.createPlaced(placed);
      },
    };
    const relay = new Relay({ ...parts, events, executions });
    relay.push(document);
    await relay.idle();
    const { events: told, ...rest } = await outcome(document);
    expect(rest).toMatchObject({ runs: 1, executions: 1, pending: 0 });
    expect(told).toHaveLength(3);
    expect(createdAgain).toEqual([]);
    const read = await parts.events.read(organizationId, 0, 10);
    expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('another process that was faster with the places in the queue costs no second execution, and no place twice', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const other = executionRecord({
      organizationId: document.organizationId,
      source: 'upload',
      documentIds: ['doc_b'],
    });
    const executions: RelayParts['executions'] = {
      ...parts.executions,
      async foresee(wanted) {
        const seen = await parts.executions.foresee(wanted);
        await parts.executions.createAll([{ execution: other, runs: newRuns(other) }]);
        return seen;
      },
    };
    const relay = new Relay({ ...parts, executions });
    relay.push(document);
    await relay.idle();
    expect(await outcome(document)).toEqual({ ...relayed, executions: 2 });
    const runs = await database.collections.runs.find({ organizationId: document.organizationId }).toArray();
    const [one = 0, two = 0] = runs.map(({ rank }) => rank ?? 0).toSorted((a, b) => a - b);
    expect(two - one).toBe(1);
  });

  test('the command stores the run and its events before it empties the outbox, durably and in order', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const sent: { parts: string[]; options: ClientBulkWriteOptions | undefined }[] = [];
    const watched = new Proxy(database.client, {
      get: (target, name) =>
        name === 'bulkWrite'
          ? (models: AnyClientBulkWriteModel<Document>[], options?: ClientBulkWriteOptions) => {
              sent.push({ parts: models.map((one) => `${one.name} ${one.namespace.split('.').at(-1)}`), options });
              return target.bulkWrite(models, options);
            }
          : Reflect.get(target, name),
    });
    const relay = new Relay({ ...parts, executions: createExecutionStore(watched, database.collections) });
    relay.push(document);
    await relay.idle();
    expect(await outcome(document)).toEqual(relayed);
    expect(sent.map((one) => one.parts)).toEqual([
      ['insertOne queues', 'insertOne executions', 'insertOne runs', 'insertOne events', 'updateOne documents'],
    ]);
    expect(sent[0]?.options).toMatchObject({ ordered: true });
    // That of the connection: `majority`.
    expect(sent[0]?.options).not.toHaveProperty('writeConcern');
  });

  test('an outbox is emptied, too, if somebody started a newer run on the document meanwhile', async () => {
    const [document] = await uploaded();
    if (document === undefined) throw new Error('no document');
    const { _id, organizationId } = document;
    const latestRun = {
      runId: 'run_newer',
      workflowId: 'wf_b',
      status: 'queued',
      at: new Date(),
      order: '9999',
    } as const;
    await database.collections.documents.updateOne({ _id }, { $set: { latestRun } });
    const relay = new Relay(parts);
    relay.push(document);
    await relay.idle();
    expect(await outcome(document)).toEqual(relayed);
    const stored = await database.collections.documents.findOne({ _id, organizationId });
    expect(stored?.latestRun).toEqual(latestRun);
  });

  test('uploads of several organizations go in one batch', async () => {
    const documents = [0, 1, 2].map((at) => uploadedDocument('wf_a', { organizationId: `org_several_${at}` }));
    for (const document of documents) await parts.documents.insert(document);
    const relay = new Relay(parts);
    for (const document of documents) relay.push(document);
    await relay.idle();
    for (const document of documents) expect(await outcome(document)).toEqual(relayed);
  });

  test('more than a batch is relayed by and by, oldest first', async () => {
    const start = Date.now() - 10_000;
    const documents = Array.from({ length: 130 }, (_, at) =>
      uploadedDocument('wf_a', { createdAt: new Date(start + at) }),
    );
    for (const document of documents) await parts.documents.insert(document);
    const relay = new Relay(parts);
    await relay.sweep();
    const left = (await parts.documents.withPendingEvents(1_000)).map((document) => document._id);
    expect(left).toEqual(documents.slice(100).map((document) => document._id));
    await relay.sweep();
    expect(await parts.documents.withPendingEvents(1_000)).toEqual([]);
  });

  test('an upload that was acknowledged before the clock went back by 25 hours is relayed by the next sweep', async () => {
    const createdAt = new Date(Date.now() + 25 * 3_600_000);
    const document = uploadedDocument('wf_a', { createdAt });
    await parts.documents.insert(document);
    await new Relay(parts).sweep();
    expect(await outcome(document)).toEqual(relayed);
  });
});
