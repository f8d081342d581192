import type { AnyClientBulkWriteModel, ClientBulkWriteOptions, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentStore } from '#src/stores/documents.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import { createUploadStore } from '#src/stores/uploads.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { Relay, type RelayParts } from '#app/agents/relay.ts';
import { UploadAcceptance, type AcceptParts } from '#app/agents/uploads/accept-uploads.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { outcomeOf, relayed } from '#test/agents/support/relayed.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { documentRecord, executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';

let database: TestDatabase;
let parts: RelayParts & Pick<AcceptParts, 'uploads'>;
let wakes: unknown[] = [];
beforeAll(async () => {
  database = await testDatabase();
  const wake = createInProcessWakeQueue();
  wake.consume((woken) => void wakes.push(woken));
  parts = {
    documents: createDocumentStore(database.collections),
    executions: createExecutionStore(database.client, database.collections),
    events: createEventLog(database.collections),
    uploads: createUploadStore(database.collections),
    wake,
    logger: createPinoLogger('silent'),
    forget: async () => [],
    settleTrash: async () => undefined,
  };
});
afterAll(() => database.close());

/** A document whose upload was promised, and is not acknowledged yet. */
async function promised(more: Partial<DocumentRecord> = {}): Promise<DocumentRecord> {
  const base = uploadedDocument('wf_a', more);
  const document = { ...base, objectKey: `${base.organizationId}/${base._id}.png` };
  const { _id: documentId, organizationId, projectId, objectKey, createdAt, visibility, family } = document;
  await database.collections.uploads.insertOne({
    _id: objectKey,
    documentId,
    organizationId,
    projectId,
    family,
    apiKeyId: document.apiKeyId,
    contentType: 'image/png',
    sizeBytes: 1,
    visibility,
    createdAt,
    forgetAt: new Date(Date.now() + 86_400_000),
  } as never);
  return document;
}

/** An acceptance with these parts, and a relay for documents that it cannot relay by itself. */
function acceptance(override: { readonly [Name in keyof AcceptParts]?: object } = {}) {
  const relay = new Relay(parts);
  const all = { ...parts, push: (document: DocumentRecord) => relay.push(document), ...override } as AcceptParts;
  const accepting = new UploadAcceptance(all);
  return {
    accept: (document: DocumentRecord) => accepting.accept(document),
    async idle() {
      await accepting.idle();
      await relay.idle();
    },
  };
}

const outcome = (document: DocumentRecord) => outcomeOf(database, parts.events, document);

describe('The acceptance of an upload', () => {
  test('stores document, run and events in one durable command, behind an outbox that it empties last', async () => {
    const document = await promised();
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
    wakes = [];
    const accepting = acceptance({ executions: createExecutionStore(watched, database.collections) });
    expect(await accepting.accept(document)).toBe('created');
    expect(await outcome(document)).toEqual(relayed);
    expect(sent.map((one) => one.parts)).toEqual([
      [
        'insertOne documents',
        'updateOne uploads',
        'insertOne queues',
        'insertOne executions',
        'insertOne runs',
        'insertOne events',
        'updateOne documents',
      ],
    ]);
    expect(sent[0]?.options).toMatchObject({ ordered: true });
    // That of the connection: `majority`.
    expect(sent[0]?.options).not.toHaveProperty('writeConcern');
    await accepting.idle();
    expect(wakes).toEqual([1]);
  });

  test('leaves the upload as it was', async () => {
    const document = await promised();
    const find = () => database.collections.uploads.findOne({ _id: document.objectKey });
    const before = await find();
    expect(await acceptance().accept(document)).toBe('created');
    expect(await find()).toEqual(before);
  });

  test('starts nothing for a document of the service, and tells the feed of it', async () => {
    const { _id: id, createdAt: ts } = documentRecord();
    const entry = { id: `document/created:${id}`, name: 'document/created', ts, data: { documentId: id } } as const;
    const document = { ...(await promised({ _id: id, family: 'service' })), pendingEvents: [entry] };
    expect(await acceptance().accept(document)).toBe('created');
    expect(await outcome(document)).toEqual({ runs: 0, executions: 0, events: ['document.created'], pending: 0 });
  });

  test('says that a document exists, and changes nothing of it', async () => {
    const document = await promised();
    const accepting = acceptance();
    expect(await accepting.accept(document)).toBe('created');
    const find = () => database.collections.documents.findOne({ _id: document._id });
    const before = await find();
    expect(await accepting.accept({ ...document, filename: 'other.png' })).toBe('exists');
    await accepting.idle();
    expect(await find()).toEqual(before);
    expect(await outcome(document)).toEqual(relayed);
  });

  test('of several at one moment makes each document once, also beside some that exist', async () => {
    const { organizationId, projectId } = uploadedDocument('wf_a');
    const documents: DocumentRecord[] = [];
    while (documents.length < 5) documents.push(await promised({ organizationId, projectId }));
    const [, second, , fourth] = documents;
    if (second === undefined || fourth === undefined) throw new Error('no documents');
    const accepting = acceptance();
    expect(await accepting.accept(second)).toBe('created');
    const others = [acceptance(), acceptance()];
    const answers = await Promise.all([
      ...documents.map((document) => accepting.accept(document)),
      accepting.accept(fourth),
      ...others.map((other) => other.accept(fourth)),
    ]);
    for (const one of [accepting, ...others]) await one.idle();
    const [, ofSecond, , ...ofFourth] = answers;
    expect(ofSecond).toBe('exists');
    expect([answers[0], answers[2], answers[4]]).toEqual(['created', 'created', 'created']);
    const again = ofFourth.filter((_, at) => at !== 1);
    expect(again.toSorted()).toEqual(['created', 'exists', 'exists', 'exists']);
    for (const document of documents) expect(await outcome(document)).toMatchObject({ runs: 1, pending: 0 });
    expect(await database.collections.executions.countDocuments({ organizationId })).toBe(5);
    const told = await parts.events.read(organizationId, 0, 100);
    expect(told.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('of an upload that a deletion removed starts nothing, and others of the moment are accepted', async () => {
    const document = await promised();
    const other = await promised({ organizationId: document.organizationId, projectId: document.projectId });
    await database.collections.uploads.deleteOne({ _id: document.objectKey });
    const accepting = acceptance();
    expect(await Promise.all([accepting.accept(document), accepting.accept(other)])).toEqual(['forgotten', 'created']);
    await accepting.idle();
    expect(await database.collections.runs.countDocuments({ documentId: document._id })).toBe(0);
    expect(await database.collections.documents.findOne({ _id: document._id })).toMatchObject({
      deletedAt: expect.any(Date),
    });
    expect(await outcome(other)).toEqual(relayed);
  });

  test('of an upload whose time is over starts nothing', async () => {
    const document = await promised();
    await database.collections.uploads.updateOne({ _id: document.objectKey }, { $set: { expired: true } });
    expect(await acceptance().accept(document)).toBe('forgotten');
    expect(await database.collections.runs.countDocuments({ documentId: document._id })).toBe(0);
  });

  test('of an upload of another organization with this key starts nothing', async () => {
    const [document, foreign] = [await promised(), await promised()];
    expect(await acceptance().accept({ ...document, objectKey: foreign.objectKey })).toBe('forgotten');
    expect(await database.collections.runs.countDocuments({ documentId: document._id })).toBe(0);
  });

  test('needs no places that somebody else took, and no number of the log', async () => {
    const [late, behind] = [await promised(), await promised()];
    const other = executionRecord({ organizationId: late.organizationId, source: 'upload', documentIds: ['doc_b'] });
    const foresee: RelayParts['executions']['foresee'] = async (wanted) => {
      const seen = await parts.executions.foresee(wanted);
      await parts.executions.createAll([{ execution: other, runs: newRuns(other) }]);
      return seen;
    };
    const faster = createEventLog(database.collections);
    const appendBy: RelayParts['events']['appendBy'] = (organization, batch, write) =>
      parts.events.appendBy(organization, batch, async (rows) => {
        await faster.append([realtimeEvent(organization)]);
        return write(rows);
      });
    const first = acceptance({ executions: { ...parts.executions, foresee } });
    const second = acceptance({ events: { ...parts.events, appendBy } });
    expect(await Promise.all([first.accept(late), second.accept(behind)])).toEqual(['created', 'created']);
    await Promise.all([first.idle(), second.idle()]);
    expect(await outcome(late)).toEqual({ ...relayed, executions: 2 });
    const { events, ...rest } = await outcome(behind);
    expect(rest).toEqual({ runs: 1, executions: 1, pending: 0 });
    expect(events).toHaveLength(3);
    const read = await parts.events.read(behind.organizationId, 0, 10);
    expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('in a full lane is made step by step', async () => {
    const document = await promised();
    const accepting = acceptance({ executions: { ...parts.executions, foresee: async () => null } });
    expect(await accepting.accept(document)).toBe('created');
    await accepting.idle();
    expect(await outcome(document)).toEqual(relayed);
  });

  test.each(['uploads', 'queues', 'executions', 'runs', 'events', 'documents'])(
    'by a server that died before the part for %s leaves an outbox, and the next sweep makes everything once',
    async (last) => {
      const document = await promised();
      const dying = new Proxy(database.client, {
        get: (target, name) =>
          name === 'bulkWrite'
            ? async (models: AnyClientBulkWriteModel<Document>[], options?: ClientBulkWriteOptions) => {
                const at = models.findIndex(({ namespace }, index) => index > 0 && namespace.endsWith(`.${last}`));
                await target.bulkWrite(models.slice(0, at), options);
                throw new Error('the server died here');
              }
            : Reflect.get(target, name),
      });
      const accepting = acceptance({ executions: createExecutionStore(dying, database.collections) });
      await expect(accepting.accept(document)).rejects.toThrow('the server died here');
      expect((await outcome(document)).pending).toBe(1);
      // The client asks again, and another process sweeps.
      expect(await acceptance().accept(document)).toBe('exists');
      await new Relay(parts).sweep();
      expect(await outcome(document)).toEqual(relayed);
    },
  );

  test('says why a document cannot be stored', async () => {
    const document = await promised();
    const accepting = acceptance();
    const noId = { ...document, _id: ['x'] as unknown as string };
    await expect(accepting.accept(noId)).rejects.toThrow("'_id'");
    await accepting.idle();
    expect(await database.collections.runs.countDocuments({ organizationId: document.organizationId })).toBe(0);
  });
});
