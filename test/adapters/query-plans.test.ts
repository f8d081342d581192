import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKeyStore } from '#src/adapters/database/api-keys.ts';
import { createAuditLog } from '#src/adapters/database/audit-log.ts';
import { CheckpointSaver } from '#src/adapters/database/checkpoint-saver.ts';
import { collectionsOf } from '#src/adapters/database/collections.ts';
import { createDocumentStore } from '#src/adapters/database/documents.ts';
import { createEventLog } from '#src/adapters/database/event-log.ts';
import { createExecutionStore } from '#src/adapters/database/executions.ts';
import { createIdempotencyStore } from '#src/adapters/database/idempotency.ts';
import { createOrganizationStore } from '#src/adapters/database/organizations.ts';
import { createResultStore } from '#src/adapters/database/results.ts';
import { createSearchIndex } from '#src/adapters/database/search-index.ts';
import { createStepStore } from '#src/adapters/database/steps.ts';
import { createUploadStore } from '#src/adapters/database/uploads.ts';
import { createWorkflowStore } from '#src/adapters/database/workflows.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { Lease } from '#src/domain/ports/executions.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord, realtimeEvent, uploadedDocument } from '#test/support/records.ts';

/** Every query that a repository sends, as the server was asked it. */
interface Asked {
  readonly of: string;
  readonly command: Document;
}

let database: TestDatabase;
let client: MongoClient;
const asked: Asked[] = [];
let method = '';

/** The filters and sorts inside a command, one explainable command for each. */
function queriesOf({ commandName, command, databaseName }: CommandStartedEvent): Document[] {
  const plain = (name: string, fields: Document): Document => ({ [name]: command[commandName], ...fields });
  switch (commandName) {
    case 'find':
      return [
        plain('find', {
          filter: command['filter'] ?? {},
          ...(command['sort'] && { sort: command['sort'] }),
          ...(command['limit'] && { limit: command['limit'] }),
        }),
      ];
    case 'findAndModify':
      return [
        plain('findAndModify', { query: command['query'], sort: command['sort'] ?? {}, update: { $set: { x: 1 } } }),
      ];
    case 'aggregate':
      return ['$search', '$listSearchIndexes'].some((stage) => Object.hasOwn(command['pipeline'][0] ?? {}, stage))
        ? []
        : [plain('aggregate', { pipeline: command['pipeline'], cursor: {} })];
    case 'update':
      return command['updates'].map((one: Document) => plain('update', { updates: [one] }));
    case 'delete':
      return command['deletes'].map((one: Document) => plain('delete', { deletes: [one] }));
    case 'bulkWrite':
      return (command['ops'] as Document[])
        .filter((one) => !('insert' in one))
        .map((one) => ({
          find: command['nsInfo'][one['update'] ?? one['delete']].ns.slice(databaseName.length + 1),
          filter: one['filter'],
        }));
    default:
      return [];
  }
}

/** The same store, remembering which of its methods is at work. */
function watched<Store extends object>(name: string, store: Store, unused: Set<string>): Store {
  for (const key of Object.keys(store))
    if (typeof store[key as keyof Store] === 'function') unused.add(`${name}.${key}`);
  return new Proxy(store, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'function') return value;
      return (...parts: unknown[]): unknown => {
        method = `${name}.${String(key)}`;
        unused.delete(method);
        return value.apply(target, parts);
      };
    },
  });
}

const unused = new Set<string>();

function storesOf(mongo: MongoClient) {
  const collections = collectionsOf(mongo.db('inkgraph'));
  return {
    apiKeys: watched('apiKeys', createApiKeyStore(collections), unused),
    audit: watched('audit', createAuditLog(collections), unused),
    documents: watched('documents', createDocumentStore(collections), unused),
    events: watched('events', createEventLog(collections), unused),
    executions: watched('executions', createExecutionStore(mongo, collections), unused),
    idempotency: watched('idempotency', createIdempotencyStore(collections), unused),
    organizations: watched('organizations', createOrganizationStore(collections), unused),
    results: watched('results', createResultStore(collections), unused),
    search: watched('search', createSearchIndex(collections), unused),
    steps: watched('steps', createStepStore(collections), unused),
    uploads: watched('uploads', createUploadStore(collections), unused),
    workflows: watched('workflows', createWorkflowStore(collections), unused),
  };
}

type Stores = ReturnType<typeof storesOf>;
const now = new Date();
const organizationId = 'org_plans';
const projectId = 'prj_plans';
const tenant = { organizationId, projectIds: [projectId] };
const wide = { organizationId, projectIds: [projectId, 'prj_other'] };

async function askDocuments({ documents, uploads, results, search }: Stores): Promise<void> {
  const document = uploadedDocument('wf_plans', { organizationId, projectId });
  const id = document._id;
  await documents.insert(document);
  await documents.find(tenant, id);
  await documents.findInOrganization(organizationId, id);
  await documents.findMany(wide, [id, 'doc_b']);
  for (const who of [tenant, wide])
    for (const filter of [{}, { apiKeyId: 'key_a' }]) {
      await documents.list(who, filter, null, 25);
      await documents.list(who, filter, { createdAt: now, id }, 25);
      await documents.listIds(who, filter, 1_000);
    }
  await documents.countOwned(tenant, [id]);
  await documents.countReadable(wide, [id]);
  await documents.setVisibility(wide, [id], 'public');
  await documents.withPendingEvents(100);
  await documents.clearPendingEvents([id]);
  const { _id, family, sizeBytes, visibility, contentType } = document;
  const upload = {
    _id: 'uploads/x',
    documentId: _id,
    family,
    apiKeyId: 'key_a',
    organizationId,
    projectId,
    contentType,
    sizeBytes,
    visibility,
  };
  await uploads.insert({ ...upload, createdAt: now, forgetAt: now });
  await uploads.find(organizationId, 'uploads/x');

  const origin = { organizationId, projectId, documentId: id, runId: 'run_a', nodeId: 'n' };
  const payload = { engine: 'e', language: 'eng', pages: [] };
  const value = { title: '', description: '', language: 'und', documentType: '', keyFields: [], tags: [] };
  const usage = { provider: 'local', model: 'm', ms: 1 };
  for (let twice = 0; twice < 2; twice += 1) {
    const ocr = await results.saveOcr(origin, { modelLabel: 'm', text: 'x', avgConfidence: 1, result: payload });
    await results.ocrById(organizationId, ocr.ocrResultId);
    const described = await results.saveDescription(origin, { modelLabel: 'm', value, usage });
    await results.descriptionById(organizationId, described.descriptionId);
    const embedding = await results.saveEmbedding(origin, {
      kind: 'text',
      modelLabel: 'm',
      vector: new Float32Array(2),
    });
    await results.embeddingById(organizationId, embedding.embeddingId);
  }
  await results.latestOcr(organizationId, id);
  const { objectKey, createdAt } = document;
  const texts = { title: '', description: '', ocrText: 'walnut 4711', identifiers: ['4711'], embeddings: {} };
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
  await search.search({ ...tenant, text: 'walnut 4711', limit: 10 });
  await search.setVisibility(organizationId, [id], 'private');
  await search.check();
}

async function askRuns({ executions, events, idempotency, steps }: Stores): Promise<void> {
  const execution = executionRecord({ organizationId, projectId, createdAt: now });
  await executions.create(execution, newRuns);
  await executions.create(execution, newRuns);
  await executions.createAll([{ execution, runs: newRuns(execution) }]);
  await executions.find(tenant, execution._id);
  await executions.runsOf(organizationId, execution._id);
  await executions.findRun(wide, 'run_x');
  await executions.depth(now);
  const lease = (await executions.claim('owner', 1_000, now)) as Lease;
  await executions.beat(lease, 1_000, now);
  await executions.pinVersion(lease, { version: 1, graphHash: 'h', workflowName: 'w' });
  await executions.progressed(lease);
  await executions.release(lease, now);
  await executions.finish((await executions.claim('owner', 1_000, now)) as Lease, 'succeeded', null, now);
  await events.append([realtimeEvent(organizationId)]);
  await events.read(organizationId, 0, 10);
  events.subscribe(organizationId, () => undefined)();
  const scope = { organizationId, apiKeyId: 'key_a', endpoint: 'e', key: 'k' };
  for (let twice = 0; twice < 2; twice += 1) {
    await idempotency.begin(scope, 'f');
    await idempotency.finish(scope, 'f', { status: 202, body: {} });
  }
  await idempotency.abandon(scope);
  const nothing = { finishedAt: null, ms: null, inputPreview: null, outputPreview: null, usage: null, error: null };
  const about = { runId: 'run_a', fence: 1, organizationId, projectId, nodeId: 'n', type: 't', attempt: 1 };
  await steps.save([{ _id: 'step_a', ...about, status: 'running', startedAt: now, ...nothing }]);
  await steps.list(organizationId, 'run_a');
}

async function askRest({ apiKeys, audit, organizations, workflows }: Stores): Promise<void> {
  await organizations.insertOrganization({ _id: organizationId, name: 'o', createdAt: now });
  await organizations.insertProject({ _id: projectId, organizationId, name: 'p', createdAt: now });
  await organizations.findOrganization(organizationId);
  await organizations.findProject(organizationId, projectId);
  await organizations.listProjects(organizationId);
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
  await apiKeys.touch(organizationId, 'key_a', now);
  await apiKeys.replace(organizationId, 'key_a', 'key_b', now);
  await apiKeys.revoke(organizationId, 'key_a', now);
  await audit.record({ organizationId, actor: 'a', action: 'b', target: 'c', detail: {} });
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
    createdAt: now,
    createdBy: 't',
  };
  await workflows.insert(published, version);
  await workflows.find(tenant, 'wf_plans');
  await workflows.listPublished(tenant);
  await workflows.listPublished(wide);
  await workflows.findVersion(organizationId, 'wf_plans', 1);
  await workflows.listByCodeName('c');
  await workflows.publish(published, version);
  await workflows.delete(tenant, 'wf_plans');
}

async function askCheckpoints(mongo: MongoClient): Promise<void> {
  method = 'checkpoints';
  const saver = new CheckpointSaver(mongo.db('inkgraph'));
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
    for (const command of queriesOf(event)) asked.push({ of: method, command: structuredClone(command) });
  });
  const stores = storesOf(client);
  await askDocuments(stores);
  await askRuns(stores);
  await askRest(stores);
  await askCheckpoints(client);
});
afterAll(async () => {
  await client.close();
  await database.close();
});

function stagesOf(plan: Document): string[] {
  const inner = [plan['inputStage'], ...(plan['inputStages'] ?? [])].filter((one) => one !== undefined);
  return [plan['stage'], ...inner.flatMap(stagesOf)];
}

/** How the server would find what a command asks for, outermost stage first. */
async function planOf(command: Document): Promise<string[]> {
  const { queryPlanner } = await database.client
    .db('inkgraph')
    .command({ explain: command, verbosity: 'queryPlanner' });
  return stagesOf(queryPlanner.winningPlan);
}

test('every method of every repository was called', () => {
  expect([...unused]).toEqual([]);
});

/** Sorts in memory that are few rows by their nature, with the reason. */
const smallSorts: Readonly<Record<string, string>> = {
  'documents.withPendingEvents': 'the outbox holds what was acknowledged a moment ago',
  checkpoints: 'the writes of one checkpoint',
};
/** Keys have one project; over several the order comes from a sort. */
const overProjects = ({ command }: Asked): boolean =>
  JSON.stringify(command).includes('"projectId":{"$in":["prj_plans","prj_other"]}');

test('no query of a repository reads a whole collection, or sorts in memory', async () => {
  expect(asked.length).toBeGreaterThan(60);
  const bad: string[] = [];
  for (const one of asked) {
    const stages = await planOf(one.command);
    const sorts = stages.includes('SORT') && smallSorts[one.of] === undefined && !overProjects(one);
    if (stages.includes('COLLSCAN') || sorts)
      bad.push(`${one.of}: ${stages.join(' < ')} for ${JSON.stringify(one.command)}`);
  }
  expect([...new Set(bad)]).toEqual([]);
});

test('a query without an index would be seen', async () => {
  expect(await planOf({ find: 'documents', filter: { sizeBytes: 1 } })).toContain('COLLSCAN');
  expect(await planOf({ find: 'documents', filter: { organizationId }, sort: { sizeBytes: 1 } })).toContain('SORT');
});

test('the queries over all tenants are covered by indexes of their own', async () => {
  for (const of of [
    'executions.claim',
    'executions.depth',
    'documents.withPendingEvents',
    'workflows.listByCodeName',
  ]) {
    const queries = asked.filter((one) => one.of === of);
    expect(queries.length).toBeGreaterThan(0);
    for (const { command } of queries)
      expect(await planOf(command)).toSatisfy((stages: string[]) => stages.join(' < ').endsWith('FETCH < IXSCAN'));
  }
});

test('every other query of tenant data names its organization', () => {
  const free = new Set([
    'executions.claim',
    'executions.depth',
    'documents.withPendingEvents',
    'documents.clearPendingEvents',
    'workflows.listByCodeName',
    'apiKeys.findByHash',
    'organizations.findOrganization',
    'events.append',
    'checkpoints',
  ]);
  const without = asked.filter(({ of, command }) => !free.has(of) && !JSON.stringify(command).includes(organizationId));
  expect(without.map(({ of }) => of)).toEqual([]);
});
