import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db, MongoClient } from 'mongodb';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { createAccountMailStore } from '#src/stores/account-mails.ts';
import { createApiKeyStore } from '#src/stores/api-keys.ts';
import { createAuditLog } from '#src/stores/audit-log.ts';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { withDatabase } from '#scripts/conformance/with-database.ts';
import { connectDatabase, type Database } from '#src/stores/connect.ts';
import { createConversationStore } from '#src/stores/conversations.ts';
import { createDeliveryStore } from '#src/stores/deliveries.ts';
import { createDocumentTraces } from '#src/stores/document-traces.ts';
import { createCorrectionStore } from '#src/stores/operators/corrections.ts';
import { createStatisticsStore } from '#src/stores/operators/statistics.ts';
import { createTrashStore } from '#src/stores/operators/trash.ts';
import { createViewStore } from '#src/stores/operators/views.ts';
import { createWebhookStore } from '#src/stores/webhooks/webhook-store.ts';
import { createDocumentStore } from '#src/stores/documents.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createDatasetStore } from '#src/stores/experiments/dataset-store.ts';
import { createExperimentStore } from '#src/stores/experiments/experiment-store.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import { createGroundingTexts } from '#src/stores/grounding-texts.ts';
import { createPasskeyStore } from '#src/stores/passkeys.ts';
import { createGuessStore } from '#src/stores/guesses.ts';
import { createIdempotencyStore } from '#src/stores/idempotency.ts';
import { createMcpSessionStore } from '#src/stores/mcp-sessions.ts';
import { createMemberStore } from '#src/stores/members.ts';
import { migrate } from '#src/stores/migrate.ts';
import { createNodeCache } from '#src/stores/node-cache.ts';
import { createOAuthStore } from '#src/stores/oauth.ts';
import { createOrganizationStore } from '#src/stores/organizations.ts';
import { createRunMends } from '#src/stores/runs/run-mends.ts';
import { createOtherEmbeddings } from '#src/stores/search/other-embeddings.ts';
import { createRetention } from '#src/stores/retention.ts';
import { createRecordStore } from '#src/stores/records/record-store.ts';
import { createRecordTypeStore } from '#src/stores/records/record-types.ts';
import { createResultStore } from '#src/stores/results.ts';
import { missingIndexes, textIndexName, vectorIndexName } from '#src/stores/search/definitions.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createSecretStore } from '#src/stores/secrets.ts';
import { createSpentWork } from '#src/stores/spent-work.ts';
import { createStepStore } from '#src/stores/steps.ts';
import { createUploadStore } from '#src/stores/uploads.ts';
import { createUsageStore } from '#src/stores/usage.ts';
import { createWorkflowStore } from '#src/stores/workflows.ts';
import { layOutMigrated } from '#test/support/template-folder.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';

export interface TestDatabase {
  /** It names the database, so that `client.db()` is this one. */
  readonly uri: string;
  readonly client: MongoClient;
  readonly db: Db;
  readonly collections: Collections;
  /** A connection of its own, as another process has one; closed with the database. */
  connect(): { readonly client: MongoClient; readonly db: Db; readonly collections: Collections };
  close(): Promise<void>;
}

/** A migrated database; `end` takes away what it is in. */
function openMigrated(uri: string, end: (database: Database) => Promise<void>): TestDatabase {
  const first = connectDatabase(uri);
  const others: Database[] = [];
  return {
    uri,
    client: first.client,
    db: first.db,
    collections: collectionsOf(first.db),
    connect() {
      const other = connectDatabase(uri);
      others.push(other);
      return { client: other.client, db: other.db, collections: collectionsOf(other.db) };
    },
    async close() {
      await Promise.all(others.map((database) => database.close()));
      await end(first);
    },
  };
}

async function embedded(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  await layOutMigrated(folder);
  const engine = await openOnWarmThread({ dataDir: folder });
  return openMigrated(withDatabase(engine.uri, 'inkgraph'), async (database) => {
    await database.close();
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  });
}

/** Atlas builds search indexes for minutes; a search in one that is not ready is empty. */
async function untilSearchable({ db }: Database): Promise<void> {
  const until = performance.now() + 10 * 60_000;
  const names = [textIndexName, vectorIndexName];
  while ((await missingIndexes(db.collection('searchRecords'), names)).length > 0 && performance.now() < until)
    await delay(1_000);
}

/** A database of its own in a deployment, dropped after the test. */
async function deployed(deployment: string): Promise<TestDatabase> {
  const uri = withDatabase(deployment, `inkgraph_test_${randomUUID()}`);
  const database = connectDatabase(uri);
  if (await migrate(database.db)) await untilSearchable(database);
  await database.close();
  return openMigrated(uri, async ({ db, close }) => {
    await db.dropDatabase();
    await close();
  });
}

/**
 * A database with all collections and indexes of the program: on an embedded engine over a temporary folder, or in the deployment that
 * TEST_MONGODB_URI names, as `npm run conformance` sets it.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const uri = process.env['TEST_MONGODB_URI'];
  return uri === undefined ? embedded() : deployed(uri);
}

const free = { bytes: null, objects: null } as const;
const unlimited = { organization: free, project: free, key: free };

/** Every repository, over one connection. */
export function storesOf(client: MongoClient) {
  const collections = collectionsOf(client.db());
  return {
    accountMails: createAccountMailStore(collections),
    apiKeys: createApiKeyStore(collections),
    audit: createAuditLog(collections),
    conversations: createConversationStore(client, collections),
    corrections: createCorrectionStore(collections),
    deliveries: createDeliveryStore(collections),
    documents: createDocumentStore(collections),
    events: createEventLog(collections),
    datasets: createDatasetStore(collections),
    executions: createExecutionStore(client, collections),
    experiments: createExperimentStore(collections),
    groundingTexts: createGroundingTexts(collections),
    guesses: createGuessStore(collections),
    idempotency: createIdempotencyStore(collections),
    mcpSessions: createMcpSessionStore(collections),
    members: createMemberStore(collections),
    nodeCache: createNodeCache(collections, createPinoLogger('silent')),
    oauth: createOAuthStore(collections),
    organizations: createOrganizationStore(collections),
    passkeys: createPasskeyStore(collections),
    recordTypes: createRecordTypeStore(collections),
    records: createRecordStore(collections),
    results: createResultStore(client, collections),
    retention: createRetention(client.db(), collections),
    runMends: createRunMends(collections),
    otherEmbeddings: createOtherEmbeddings(collections),
    search: createSearchIndex(collections, { mode: 'hybrid', embedder: createLocalModels().text }),
    secrets: createSecretStore(collections, { current: Buffer.alloc(32), previous: [] }),
    spentWork: createSpentWork(collections, () => undefined),
    statistics: createStatisticsStore(collections),
    steps: createStepStore(collections),
    traces: createDocumentTraces(client.db(), collections),
    trash: createTrashStore(collections),
    uploads: createUploadStore(collections),
    usage: createUsageStore(collections, unlimited),
    views: createViewStore(collections),
    webhooks: createWebhookStore(collections),
    workflows: createWorkflowStore(collections),
  };
}

export type Stores = ReturnType<typeof storesOf>;

/** `store.method` of all of them. */
export function methodsOf(stores: Stores): string[] {
  return Object.entries(stores).flatMap(([name, store]) =>
    Object.entries(store)
      .filter(([, value]) => typeof value === 'function')
      .map(([method]) => `${name}.${method}`),
  );
}
