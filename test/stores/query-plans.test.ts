import { MongoClient, type CommandStartedEvent, type Db, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CheckpointSaver } from '#src/stores/checkpoints/saver.ts';
import { homesOf } from '#src/stores/hidden-organization.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { conversationOf } from '#test/support/dashboard/conversations.ts';
import { overTenants } from '#test/support/tenancy/over-tenants.ts';
import { methodsOf, storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { askOAuth } from '#test/stores/support/ask-oauth.ts';
import { askExperiments } from '#test/stores/support/ask-experiments.ts';
import { askRecords, sortsByField } from '#test/stores/support/ask-records.ts';
import { askAccountMails, askGuesses, askPasskeys } from '#test/stores/support/ask-accounts.ts';
import { askAuditAndSecrets } from '#test/stores/support/ask-audit.ts';
import { askChanges, askRetention, askStorage } from '#test/stores/support/ask-storage.ts';
import { askDocumentLists, askRunLists } from '#test/stores/support/ask-lists.ts';
import { askWebhooks } from '#test/stores/support/ask-webhooks.ts';
import { askRelay } from '#test/stores/support/ask-relay.ts';
import { askPages } from '#test/stores/support/ask-pages.ts';
import { planIn } from '#test/stores/support/plans.ts';
import { executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';
import type { Lease } from '#src/stores/run-queue.ts';

/** Every query that a repository sends, as the server was asked it. */
interface Asked {
  readonly of: string;
  /** Query in an explainable command; null where a search index answers. */
  readonly command: Document | null;
  readonly filter: Document;
}

let database: TestDatabase;
let client: MongoClient;
const asked: Asked[] = [];
/** Commands without a filter of their own. */
const others = new Set<string>();
let method = '';
/** The filter of the stage that reads the collection. */
function sourceOf([first]: Document[]): { filter: Document; searches: boolean } {
  const { $match, $search, $vectorSearch, $listSearchIndexes } = first ?? {};
  if ($search) return { filter: { $and: $search.compound.filter.map(termOf) }, searches: true };
  return { filter: $match ?? $vectorSearch?.filter ?? {}, searches: Boolean($vectorSearch ?? $listSearchIndexes) };
}

/** `equals` of `$search` as a filter says it. */
const termOf = ({ equals }: Document): Document => (equals ? { [equals.path]: equals.value } : {});
/** The queries inside a command, one explainable command for each. */
function queriesOf({ commandName, command, databaseName }: CommandStartedEvent): Omit<Asked, 'of'>[] {
  const plain = (name: string, filter: Document, fields: Document): Omit<Asked, 'of'> => ({
    command: { [name]: command[commandName], ...fields },
    filter,
  });
  switch (commandName) {
    case 'find': {
      const { filter = {}, sort, limit } = command;
      return [plain('find', filter, { filter, ...(sort && { sort }), ...(limit && { limit }) })];
    }
    case 'findAndModify': {
      const { query, sort = {} } = command;
      return [plain('findAndModify', query, { query, sort, update: { $set: { x: 1 } } })];
    }
    case 'aggregate': {
      const { pipeline } = command;
      const { filter, searches } = sourceOf(pipeline);
      return [searches ? { command: null, filter } : plain('aggregate', filter, { pipeline, cursor: {} })];
    }
    case 'update':
      return command['updates'].map((one: Document) => plain('update', one['q'], { updates: [one] }));
    case 'delete':
      return command['deletes'].map((one: Document) => plain('delete', one['q'], { deletes: [one] }));
    case 'count':
    case 'distinct':
      return [plain('find', command['query'] ?? {}, { find: command[commandName], filter: command['query'] ?? {} })];
    case 'bulkWrite':
      return (command['ops'] as Document[])
        .filter((one) => !('insert' in one))
        .map((one) => {
          const find = command['nsInfo'][one['update'] ?? one['delete']].ns.slice(databaseName.length + 1);
          return { command: { find, filter: one['filter'] }, filter: one['filter'] };
        });
    default:
      others.add(commandName);
      return [];
  }
}

const unused = new Set<string>();
/** The same stores, remembering which of their methods is at work. */
function watched(stores: Stores): Stores {
  for (const name of methodsOf(stores)) unused.add(name);
  const watch = <Store extends object>([name, store]: [string, Store]): [string, Store] => {
    const get = (target: Store, key: string | symbol, receiver: unknown): unknown => {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'function') return value;
      return (...parts: unknown[]): unknown => {
        method = `${name}.${String(key)}`;
        unused.delete(method);
        return value.apply(target, parts);
      };
    };
    return [name, new Proxy(store, { get })];
  };
  return Object.fromEntries(Object.entries(stores).map(watch)) as unknown as Stores;
}

const now = new Date();
const [organizationId, projectId] = ['org_plans', 'prj_plans'];
const tenant = { organizationId, projectIds: [projectId] };
const wide = { organizationId, projectIds: [projectId, 'prj_other'] };

async function askDeletion({ documents, results, search, traces }: Stores): Promise<void> {
  const document = uploadedDocument('wf_plans', { organizationId, projectId, parentDocumentId: 'doc_parent' });
  const id = document._id;
  await documents.insert(document);
  await documents.derivedFrom(organizationId, 'doc_parent');
  await documents.markDeleted(wide, id, now);
  await documents.postponeRemoval(organizationId, id, now);
  await results.deleteOf(organizationId, id);
  await search.delete(organizationId, id);
  const execution = executionRecord({ organizationId, projectId, documentIds: [id] });
  await storesOf(database.client).executions.create(execution, newRuns);
  await traces.runsOf(organizationId, id);
  await traces.redact(organizationId, id);
  await traces.forget(organizationId, id, document.objectKey);
  await documents.remove(organizationId, id);
}

async function askDocuments(stores: Stores): Promise<void> {
  const { documents, uploads, results, search } = stores;
  const document = uploadedDocument('wf_plans', { organizationId, projectId });
  const id = document._id;
  await documents.insert(document);
  await documents.find(tenant, id);
  await documents.findInOrganization(organizationId, id);
  await documents.findMany(wide, [id, 'doc_b']);
  for (const who of [tenant, wide]) await askDocumentLists(stores, who);
  await documents.countOwned(tenant, [id]);
  await documents.countReadable(wide, [id]);
  await documents.thereAmong(organizationId, [id, 'doc_b']);
  await documents.projectsOf(wide, [id]);
  await documents.setVisibility(wide, [id], 'public');
  await documents.withPendingEvents(100);
  await documents.oldestPendingEvent();
  await documents.clearPendingEvents([id]);
  const { _id, sizeBytes, visibility, contentType } = document;
  const upload = {
    _id: 'uploads/x',
    documentId: _id,
    family: 'workflow-key' as const,
    apiKeyId: 'key_a',
    organizationId,
    projectId,
    contentType,
    sizeBytes,
    visibility,
  };
  await uploads.insert({ ...upload, createdAt: now, forgetAt: now });
  await uploads.find(organizationId, 'uploads/x');
  await askStorage(stores, document, now);
  const origin = { organizationId, projectId, documentId: id, runId: 'run_a', nodeId: 'n' };
  const payload = { engine: 'e', language: 'eng', pages: [] };
  const value = { title: '', description: '', language: 'und', documentType: '', keyFields: [], tags: [] };
  const usage = { provider: 'local', model: 'm', ms: 1 };
  for (let twice = 0; twice < 2; twice += 1) {
    const ocr = await results.saveOcr(origin, { modelLabel: 'm', text: 'x', avgConfidence: 1, result: payload });
    await results.ocrById(organizationId, ocr.ocrResultId);
    await results.ocrText(organizationId, ocr.ocrResultId);
    await results.ocrPage(organizationId, ocr.ocrResultId, 0);
    await results.ocrPagesAt(organizationId, [{ ocrResultId: ocr.ocrResultId, page: 0 }]);
    await askPages(stores, origin);
    const described = await results.saveDescription(origin, { modelLabel: 'm', value, usage });
    await results.descriptionById(organizationId, described.descriptionId);
    const found = {
      modelLabel: 'm',
      prompt: 'p',
      page: 0,
      segments: [],
      unsupportedPrompt: false,
      derivedDocumentId: null,
    };
    const segmented = await results.saveSegmentation(origin, found);
    expect(segmented.segmentationId).toBe(results.segmentationIdOf(origin));
    expect(results.idsOf(origin).segmentation).toBe(segmented.segmentationId);
    await results.segmentationById(organizationId, segmented.segmentationId);
    const embedding = await results.saveEmbedding(origin, {
      kind: 'text',
      modelLabel: 'm',
      vector: new Float32Array(2),
    });
    await results.embeddingById(organizationId, embedding.embeddingId);
  }
  await results.listOcr(organizationId, id, 10);
  await results.listOcr(organizationId, id, 10, 'ocr_other');
  await results.listOcrPage(organizationId, id, { page: 0, limit: 10 });
  await results.listSegmentations(organizationId, id, 10);
  const { objectKey, createdAt } = document;
  const texts = {
    title: '',
    description: '',
    ocrText: 'walnut 4711',
    segmentationText: '',
    identifiers: ['4711'],
    embeddings: {},
  };
  await search.upsert({
    documentId: id,
    organizationId,
    projectId,
    apiKeyId: null,
    visibility,
    objectKey,
    createdAt,
    ...texts,
  });
  for (const who of [tenant, wide, { organizationId, projectIds: [] }])
    for (const narrow of [{}, { documentIds: [id], apiKeyIds: ['key_a'] }])
      await search.search({ ...who, ...narrow, text: 'walnut 4711 "walnut 4711"', limit: 10 });
  await search.highlights({ ...tenant, documentIds: [id], text: 'walnut' });
  await search.similar({ ...tenant, documentId: id, by: ['text'], limit: 9 });
  const image = { label: 'local/visual-2', vector: Float32Array.of(1, 0), blockHash: '00ff00ff00ff00ff' };
  const copied = { documentId: 'doc_other', organizationId, projectId, ocrText: '101 202 303 404 505 606' };
  await search.possibleCopies({ ...copied, embeddings: { image } });
  await search.textOf(organizationId, id);
  await search.setVisibility(organizationId, [id], 'private');
  await search.check();
}

async function askRuns({ executions, events, idempotency, steps }: Stores): Promise<void> {
  const execution = executionRecord({ organizationId, projectId, createdAt: now });
  for (const _ of [1, 2]) await executions.create(execution, newRuns);
  await executions.find(tenant, execution._id);
  await executions.runsOf(organizationId, execution._id);
  await executions.resultsOf(organizationId, [execution._id, 'exec_2'], ['doc_1']);
  await executions.findRun(wide, 'run_x');
  await executions.depth();
  const lease = (await executions.claim('owner', now)) as Lease;
  await executions.beat(lease, now);
  await executions.endLeases(
    (await executions.seeLeases()).map((seen) => ({ ...seen, fence: -1 })),
    now,
  );
  await executions.claim('owner', now, { lanes: ['bulk'], except: ['org_x'] });
  await executions.setQueueWeight(organizationId, 2);
  await executions.pinVersion(lease, { version: 1, graphHash: 'h', workflowName: 'w' });
  await executions.progressed(lease);
  await executions.release(lease, now);
  const again = (await executions.claim('owner', now)) as Lease;
  await executions.lost([lease, again]);
  await executions.wait(again, [{ path: 'a', prompt: '', data: null, answerSchema: null, askedAt: now }]);
  await executions.answer(wide, again.run._id, { path: 'a', answer: null, by: 'key_a', at: now });
  const end = { status: 'succeeded', error: null } as const;
  await executions.finish((await executions.claim('owner', now)) as Lease, end, now);
  for (const who of [tenant, wide]) await askRunLists({ executions }, who);
  await executions.noteClaim(lease, now);
  await executions.noteEnds([{ ...lease.run, status: 'failed', finishedAt: now }]);
  await executions.cancel(wide, execution._id, { code: 'c', message: 'm' }, now);
  for (const who of [tenant, wide])
    for (const more of [{}, { executionId: execution._id, from: now, until: new Date() }, { workflowId: 'wf_x' }])
      for (const after of [null, { createdAt: now, id: 'run_x' }])
        await executions.selectRuns(who, { statuses: ['queued', 'failed'], unretried: true, ...more }, after, 25);
  await executions.markRetried(organizationId, execution._id, ['doc_x'], 'exec_x');
  const upload = executionRecord({ organizationId, projectId, source: 'upload', documentIds: ['doc_x'] });
  const { runs } = await executions.create(upload, newRuns);
  for (const run of runs) await executions.waitOf(run);
  await executions.expedite(organizationId, upload._id);
  await executions.cancelRuns(tenant, runs, { code: 'c', message: 'm' }, now);
  await executions.cancelRun(tenant, 'run_x', { code: 'c', message: 'm' }, now);
  for (const after of [null, { createdAt: now, id: 'exec_x' }]) await executions.withPendingCallback(after, 100);
  await executions.callbackQueued(organizationId, execution._id);
  for (const how of ['append', 'lacking'] as const) await events[how]([realtimeEvent(organizationId)]);
  for (const wanted of [{}, { executionId: execution._id }]) await events.read(organizationId, 0, 10, wanted);
  await askRelay({ executions, events }, execution);
  events.subscribe(organizationId, () => undefined)();
  events.receive([]);
  events.storedElsewhere(organizationId, { first: 1, last: events.lookMs(1) });
  const scope = { organizationId, apiKeyId: 'key_a', endpoint: 'e', key: 'k' };
  for (let twice = 0; twice < 2; twice += 1) {
    await idempotency.begin(scope, 'f');
    await idempotency.finish(scope, 'f', { status: 202, body: {} });
  }
  await idempotency.abandon(scope);
  const nothing = { finishedAt: null, ms: null, inputPreview: null, outputPreview: null, usage: null, error: null };
  const about = { fence: 1, nodeId: 'n', type: 't', attempt: 1 };
  const step = { _id: 'step_a', ...about, status: 'running', startedAt: now, ...nothing } as const;
  const run = { _id: 'run_a', organizationId, fence: 1 };
  const buckets = new Map([0, 1].map((number) => [number, [step]]));
  await steps.save({ run, buckets, further: 1 });
  await steps.listOf({ ...run, stepBuckets: 1 });
  await steps.costOf([{ ...run, stepBuckets: 1 }]);
}

async function askMembers({ members }: Stores): Promise<void> {
  const owner = await members.add({ organizationId, userId: 'usr_a', role: 'owner' });
  await members.add({ organizationId, userId: 'usr_a', role: 'owner' });
  const other = await members.add({ organizationId, userId: 'usr_b', role: 'owner' });
  await database.collections.users.insertOne({ _id: 'usr_a', email: 'a@example.com', name: 'A' });
  await members.membership(organizationId, 'usr_a');
  await members.organizationsOf('usr_a');
  await members.userIdOf('a@example.com');
  await members.list(organizationId);
  await members.find(organizationId, owner.memberId);
  await members.findByEmail(organizationId, 'a@example.com');
  // As a process that died leaves it.
  const leaving = { token: 't', at: new Date(0) };
  await database.collections.members.updateOne({ _id: other.memberId }, { $set: { leaving } });
  const place = { organizationId, projectId: 'prj_a' };
  for (const to of ['none', null] as const) await members.setProjectRole(place, owner.memberId, { from: 'owner', to });
  await members.changeRole(organizationId, owner.memberId, 'owner', 'viewer');
  await members.changeRole(organizationId, owner.memberId, 'viewer', 'admin');
  await members.confirmRole(organizationId, owner.memberId, 'admin');
  await members.beginRemoval(organizationId, owner.memberId, { ...owner, role: 'admin', kept: true, by: '', at: now });
  await members.removal(organizationId, owner.memberId);
  await members.unfinishedRemovals(now);
  await members.finishRemoval(organizationId, owner.memberId);
  await members.remove(organizationId, other.memberId, 'owner');
  const invitation = { invitationId: 'inv_a', organizationId, email: 'b@example.com', role: 'viewer' } as const;
  await members.invite({ ...invitation, inviterId: 'usr_a', linkHash: 'h', createdAt: now, expiresAt: new Date(8e12) });
  await members.listInvitations(organizationId, now);
  await members.findInvitation(organizationId, 'inv_a', now);
  await members.cancelInvitation(organizationId, 'inv_a');
}

async function askChats({ conversations, groundingTexts }: Stores): Promise<void> {
  const userId = 'usr_a';
  const { conversation, question, answer } = conversationOf({ organizationId, userId }, 'doc_a');
  const { _id: id } = conversation;
  await conversations.ask(conversation, question, answer._id);
  await conversations.ask(conversation, { ...question, text: 'Something else?' }, answer._id);
  await conversations.answer(conversation, { ...question, text: 'Something else?' }, answer);
  await conversations.find(organizationId, userId, id);
  for (const after of [null, { createdAt: now, id }]) await conversations.list(organizationId, userId, after, 26);
  await conversations.messages(organizationId, userId, id, 100);
  await conversations.forgetDocument(organizationId, 'doc_a');
  await conversations.delete(organizationId, userId, id);
  const texts = { documentId: 'doc_a', ocrResultId: 'ocr_a', descriptionId: 'dsc_a' };
  await groundingTexts.read(organizationId, [texts, { ...texts, documentId: 'doc_b' }]);
}

async function askRest(stores: Stores): Promise<void> {
  const { apiKeys, audit, organizations, workflows } = stores;
  await organizations.insertOrganization({ _id: organizationId, name: 'o', createdAt: now });
  await organizations.insertProject({ _id: projectId, organizationId, name: 'p', createdAt: now });
  for await (const { _id } of organizations.everyProject()) expect(_id).toBe(projectId);
  await organizations.findOrganization(organizationId);
  await organizations.demandSecondFactor(organizationId, true);
  await organizations.findProject(organizationId, projectId);
  await organizations.listProjects(organizationId);
  await organizations.renameProject(organizationId, projectId, 'q');
  const key = {
    _id: 'key_a',
    hash: 'h',
    prefix: 'p',
    kind: 'service',
    name: 'n',
    organizationId,
    projectId,
    deviceId: null,
  } as const;
  const unset = {
    agentGraphId: null,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
    graceUntil: null,
  };
  await apiKeys.insert({ ...key, ...unset, createdBy: 'test', createdAt: now });
  await apiKeys.findByHash('h');
  await apiKeys.find(organizationId, 'key_a');
  await apiKeys.list(organizationId);
  for (const who of [tenant, wide]) await apiKeys.list(organizationId, who.projectIds);
  await apiKeys.listMadeBy(organizationId, ['usr_a', 'key_a']);
  await apiKeys.touch(organizationId, 'key_a', now);
  await apiKeys.replace(organizationId, 'key_a', 'key_b', now);
  await apiKeys.revoke(organizationId, 'key_a', now);
  for (const filter of [{}, { action: 'key.issue' }, { action: 'key' }])
    for (const after of [null, { createdAt: now, id: 'evt_a' }]) await audit.list(organizationId, filter, after, 26);
  const { graph, graphHash } = documentIntake;
  const workflow = {
    _id: 'wf_plans',
    schemaVersion: 1,
    organizationId,
    projectId,
    name: 'w',
    description: '',
  } as const;
  const published = {
    ...workflow,
    source: 'code',
    codeName: 'c',
    publishedVersion: 1,
    publishedHash: graphHash,
    createdAt: now,
    updatedAt: now,
  } as const;
  const version = {
    _id: 'wf_plans@1',
    organizationId,
    workflowId: 'wf_plans',
    version: 1,
    graphHash,
    graph,
    fromRevision: null,
    author: 't',
    surface: 'code',
    note: null,
    at: now,
  } as const;
  const lastEdit = { revision: 1, operations: [], author: 't', surface: 'rest', note: null, at: now } as const;
  const draft = { _id: 'wf_plans', organizationId, projectId, revision: 1, graph, graphHash, lastEdit };
  await workflows.insert(published, { version, draft });
  await workflows.insertOnce({ ...published, _id: 'wf_once' }, { ...version, _id: 'wf_once@1', workflowId: 'wf_once' });
  for (const who of [tenant, wide])
    for (const after of [null, { createdAt: now, id: 'wf_a' }]) await workflows.list(who, after, 26);
  for (const before of [null, 5]) await workflows.listVersions(organizationId, 'wf_plans', before, 26);
  await workflows.findDraft(organizationId, 'wf_plans');
  for (const of of ['states', 'draftStates'] as const) await workflows[of](organizationId, ['wf_plans', 'wf_b']);
  await workflows.saveDraft({ ...draft, revision: 2, lastEdit: { ...lastEdit, revision: 2 } });
  await workflows.editsSince(organizationId, 'wf_plans', 0, 100);
  await apiKeys.listBound(organizationId, 'wf_plans', 21);
  await workflows.find(tenant, 'wf_plans');
  for (const who of [tenant, wide]) await workflows.listPublished(who);
  for (const who of [tenant, wide]) await workflows.listTools(who, 50);
  await workflows.findVersion(organizationId, 'wf_plans', 1);
  await workflows.listByCodeName('c');
  await askExperiments(stores, { organizationId, projectId }, [tenant, wide]);
  await askRecords(stores, { organizationId, projectId });
  await stores.traces.redact(organizationId, 'doc_a');
  await workflows.publish(published, version);
  await workflows.delete(tenant, 'wf_plans');
}

async function askNodeCache({ nodeCache }: Stores): Promise<void> {
  const place = { organizationId, projectId };
  nodeCache.put({ ...place, documentId: 'doc_a' }, 'k', { update: {}, modelLabel: null, usage: null, runId: 'run_a' });
  await nodeCache.idle();
  await nodeCache.get(organizationId, projectId, 'k');
}

async function askCheckpoints(mongo: MongoClient): Promise<void> {
  method = 'checkpoints';
  const saver = new CheckpointSaver(mongo.db());
  const config = { configurable: { thread_id: 'run_a', checkpoint_ns: '' } };
  const checkpoint = {
    v: 4,
    id: '1ef',
    ts: now.toISOString(),
    channel_values: {},
    channel_versions: {},
    versions_seen: {},
  };
  const stored = await saver.put(config, checkpoint, { source: 'loop', step: 1, parents: {} });
  await saver.putWrites(stored, [['a', 1]], 'task');
  await saver.getTuple(config);
  await saver.getTuple(stored);
  await saver.deleteThread('run_a');
}

beforeAll(async () => {
  database = await testDatabase();
  client = new MongoClient(database.uri, { monitorCommands: true, ignoreUndefined: true });
  client.on('commandStarted', (event) => {
    for (const query of queriesOf(event)) asked.push({ of: method, ...structuredClone(query) });
  });
  const stores = watched(storesOf(client));
  await askDocuments(stores);
  await askDeletion(stores);
  await askRuns(stores);
  await askChanges(stores);
  await askGuesses(stores, now);
  await askPasskeys(stores, now);
  await askAccountMails(stores, now);
  await askMembers(stores);
  await askChats(stores);
  await askRest(stores);
  await askNodeCache(stores);
  await askWebhooks(stores, { organizationId, projectId });
  await askOAuth(stores, { organizationId, projectId, now });
  await askCheckpoints(client);
  await askRetention(stores, now);
  await askAuditAndSecrets(stores, { organizationId, projectId });
});
afterAll(async () => {
  await client.close();
  await database.close();
});

const db = (): Db => database.client.db();
const planOf = async (command: Document): Promise<readonly string[]> => (await planIn(db(), command)).stages;

test('every method of every repository was called', () => {
  expect([...unused]).toEqual([]);
});

/** Sorts in memory that are few rows by their nature, with the reason. */
const smallSorts: Readonly<Record<string, string>> = {
  'documents.oldestPendingEvent': 'the outbox holds what was acknowledged a moment ago',
  'documents.withPendingEvents': 'the outbox holds what was acknowledged a moment ago',
  checkpoints: 'the writes of one checkpoint',
};
/** The runs of one execution are 1,000 at most. */
const isSmall = ({ of, filter }: Asked): boolean =>
  smallSorts[of] !== undefined || (of === 'executions.listRuns' && typeof filter['executionId'] === 'string');
/** Keys have one project; over several the order comes from a sort. */
const overProjects = ({ filter }: Asked): boolean =>
  JSON.stringify(filter).includes('"projectId":{"$in":["prj_plans","prj_other"]}');

test('no query of a repository reads a whole collection, or sorts in memory', async () => {
  expect(asked.length).toBeGreaterThan(60);
  const bad: string[] = [];
  for (const one of asked) {
    if (one.command === null) continue;
    const stages = await planOf(one.command);
    const sorts = stages.includes('SORT') && !isSmall(one) && !overProjects(one) && !sortsByField(one);
    if (stages.includes('COLLSCAN') || sorts)
      bad.push(`${one.of}: ${stages.join(' < ')} for ${JSON.stringify(one.command)}`);
  }
  expect([...new Set(bad)]).toEqual([]);
});

/** Indexes that no query of a repository uses, by what uses them. */
const usedElsewhere: Readonly<Record<string, string>> = {
  'accounts userId_1': 'better-auth',
  'documents organizationId_1_createdAt_-1__id_-1': 'the list of more than a hundred projects',
  'invitations linkHash_1': 'sign-up by the link of an invitation',
  'sessions userId_1': 'better-auth',
  'verifications identifier_1': 'better-auth',
};

test('every index has a query that uses it, or keeps rows apart or deletes them', async () => {
  const used = new Set<string>();
  for (const { command } of asked)
    if (command !== null) for (const index of (await planIn(db(), command)).indexes) used.add(index);
  const defined: string[] = [];
  for (const { name: collection } of await db().listCollections({}, { nameOnly: true }).toArray())
    for (const { name = '', unique, expireAfterSeconds } of await db().collection(collection).indexes()) {
      const works = name === '_id_' || unique === true || expireAfterSeconds !== undefined;
      if (!works) defined.push(`${collection} ${name}`);
    }
  expect(defined.filter((index) => !used.has(index)).toSorted()).toEqual(Object.keys(usedElsewhere).toSorted());
});

test('a query without an index would be seen', async () => {
  expect(await planOf({ find: 'documents', filter: { sizeBytes: 1 } })).toContain('COLLSCAN');
  expect(await planOf({ find: 'documents', filter: { organizationId }, sort: { sizeBytes: 1 } })).toContain('SORT');
});

test('the queries over all tenants are covered by indexes of their own', async () => {
  for (const of of `executions.claim executions.depth deliveries.claim executions.withPendingCallback documents.withPendingEvents
    documents.oldestPendingEvent uploads.takeExpired retention.deleteEvents retention.deleteDeliveries
    retention.deleteAudit workflows.listByCodeName`.split(/\s+/)) {
    const queries = asked.filter((one) => one.of === of);
    expect(queries.length).toBeGreaterThan(0);
    for (const { command } of queries)
      expect(await planOf(command ?? {})).toSatisfy((stages: readonly string[]) =>
        /(FETCH < IXSCAN|IDHACK)$/.test(stages.join(' < ')),
      );
  }
});

/** A user is of no organization: the store says who is a member, and looks up their names. */
const users = 'users';
/** True when nothing of another organization can match, whatever else the filter says. */
function isWithin(filter: Document): boolean {
  const { organizationId: named, $and = [] } = filter;
  const places: readonly unknown[] = named?.$in ?? [named?.$eq ?? named];
  return places.every((place) => homesOf(organizationId).some((home) => home === place)) || $and.some(isWithin);
}

/** Reads the virtual time of a lane of the queue, which is over all tenants. */
const isOfAnyLane = (filter: Document): boolean =>
  filter['lane'] !== undefined &&
  Object.keys(filter).every((name) => ['status', 'lane', 'fence', 'rank'].includes(name));

test('every query names its organization, but for those that are over all tenants with a reason', () => {
  const without = asked.filter(
    ({ of, command, filter }) =>
      overTenants[of] === undefined && command?.['find'] !== users && !isWithin(filter) && !isOfAnyLane(filter),
  );
  expect(without.map(({ of, filter }) => `${of}: ${JSON.stringify(filter)}`)).toEqual([]);
  const crossing = new Set(asked.filter(({ filter }) => !isWithin(filter)).map(({ of }) => of));
  expect(Object.keys(overTenants).filter((of) => !crossing.has(of))).toEqual([]);
});

test('a filter that another organization could match would be seen', () => {
  const named = { organizationId };
  for (const filter of [
    {},
    { $or: [named] },
    { organizationId: { $ne: organizationId } },
    { $and: [{ $or: [named] }] },
  ])
    expect(isWithin(filter)).toBe(false);
  expect([named, { $and: [{ a: 1 }, { organizationId: { $eq: organizationId } }] }].every(isWithin)).toBe(true);
});

test('no command of a repository was overlooked', () => {
  expect([...others].toSorted()).toEqual(['endSessions', 'hello', 'insert'].filter((name) => others.has(name)));
  expect(asked.filter(({ of, command }) => of === 'search.search' && command === null).length).toBeGreaterThan(9);
});
