import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { z } from 'zod';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { effectsWorkflow, webhooksOfRun } from '#scripts/chaos/effects-workflow.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { startReceiver, type Receiver } from '#scripts/chaos/receiver.ts';
import { heldBy, recoveryOf } from '#scripts/chaos/recovery.ts';
import { startService } from '#scripts/chaos/service-process.ts';
import { verifyExecutions, type Effects } from '#scripts/chaos/verify-executions.ts';
import { WorkerPool } from '#scripts/chaos/worker-pool.ts';
import { seeded, type Random } from '#scripts/fixtures/random.ts';
import type { Seed } from '#app/compose/seed.ts';

export interface ExecutionChaosOptions {
  readonly workers: number;
  readonly executions: number;
  readonly kills: number;
  readonly leaseMs: number;
  /** The same seed chooses the same victims and the same moments. */
  readonly seed: number;
  /** Time limit; after it, everything is killed and missing results are reported. */
  readonly limitMs: number;
  progress(text: string): void;
}

export interface ExecutionOutcome extends Effects {
  readonly executions: number;
  readonly kills: number;
  readonly seconds: number;
  /** Milliseconds from each kill that hit runs until the last of them got further. */
  readonly recoveries: readonly number[];
  /** Removed when nothing was broken. */
  readonly dataDir: string;
}

const Started = z.object({ id: z.string() });
/** A kill comes this long after the one before at the latest. */
const longestPauseMs = 1_500;

interface Storm {
  readonly options: ExecutionChaosOptions;
  readonly stored: Collections;
  readonly pool: WorkerPool;
  readonly random: Random;
  readonly start: (number: number) => Promise<string>;
  readonly begun: string[];
  readonly recoveries: Promise<number | null>[];
}

/** Executions in batches, a worker killed at a random moment after each. */
async function storm({ options, stored, pool, random, start, begun, recoveries }: Storm): Promise<void> {
  const { executions, kills, workers, leaseMs } = options;
  for (let kill = 1; kill <= kills; kill += 1) {
    while (begun.length < (executions * kill) / kills) begun.push(await start(begun.length));
    await pause(random.next() * longestPauseMs);
    await pool.kill(Math.floor(random.next() * workers), async (owner) => {
      const held = await heldBy(stored, owner);
      const recovery = recoveryOf(stored, held, { killedAt: performance.now(), patienceMs: leaseMs + 30_000 });
      recovery.catch(() => undefined);
      recoveries.push(recovery);
    });
    const ended = await stored.runs.countDocuments({ finishedAt: { $ne: null } });
    options.progress(`kill ${kill} of ${kills}: ${begun.length} executions begun, ${ended} runs ended`);
  }
}

/** All runs are over, and all webhooks of theirs are delivered. */
async function untilSettled(stored: Collections, executions: number): Promise<void> {
  const expected = executions * (webhooksOfRun + 1);
  for (;;) {
    const over = await stored.runs.countDocuments({ finishedAt: { $ne: null } });
    const delivered = await stored.deliveries.countDocuments({ status: 'delivered' });
    const pending = await stored.deliveries.countDocuments({ status: 'pending' });
    const failed = await stored.runs.countDocuments({ status: 'failed' });
    if (over >= executions && (delivered >= expected || (failed > 0 && pending === 0))) return;
    await pause(100);
  }
}

async function addEffectsWorkflow(dataDir: string, seed: Seed, receiver: Receiver): Promise<string> {
  const config = { ...loadConfig({ DATA_DIR: dataDir }), services: new Set<never>() };
  await using app = await compose(config, { logger: createPinoLogger('error') });
  return (await addCodeWorkflow(app.deps, effectsWorkflow(receiver.url), seed))._id;
}

type Post = <Reply>(path: string, body: object, schema: z.ZodType<Reply>) => Promise<Reply>;

const poster =
  (api: string, key: string): Post =>
  async (path, body, schema) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, api), { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return schema.parse(JSON.parse(text));
  };

/** A document that no workflow has seen; answers its id. */
async function storeDocument(post: Post): Promise<string> {
  const bytes = await readFile(new URL('../../test/fixtures/note.gif', import.meta.url));
  const wanted = { contentType: 'image/gif', size: bytes.length, visibility: 'private' };
  const { uploadUrl, objectKey } = await post('/api/service/uploads/presign', wanted, PresignReply);
  const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!stored.ok) throw new Error(`PUT answered ${stored.status}`);
  const acked = { objectKey, idempotencyKey: objectKey.slice(-100) };
  return (await post('/api/service/uploads/ack', acked, AckReply)).document.id;
}

/**
 * Workers killed one after the other while executions come in; the API, and with it the database, stays. Then every effect is counted.
 * Source: docs/decisions/0011.
 */
export async function chaosOfExecutions(options: ExecutionChaosOptions): Promise<ExecutionOutcome> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const began = performance.now();
  options.progress(`seed ${options.seed}, folder ${dataDir}`);
  const random = seeded(options.seed);
  await using receiver = await startReceiver(seeded(options.seed + 1));
  const seed = await prepareFolder(dataDir);
  const workflowId = await addEffectsWorkflow(dataDir, seed, receiver);
  const env = { RUN_LEASE_MS: String(options.leaseMs), OUTBOUND_ALLOW: receiver.listed };
  await using api = await startService({ dataDir, env: { ...env, SERVICES: 'api' } });
  await using pool = new WorkerPool({ dataDir, env: { ...env, SERVICES: 'agents' } }, options.workers);
  const engine = await openEmbeddedDatabase({ dataDir });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => engine.close());
  const database = connectDatabase(engine.uri);
  cleanup.defer(() => database.close());
  const stored = collectionsOf(database.db);

  const post = poster(api.addresses.api, seed.serviceKey);
  const documentId = await storeDocument(post);
  await pool.up();
  const begun: string[] = [];
  const recoveries: Promise<number | null>[] = [];
  const start = async (number: number): Promise<string> => {
    const body = {
      workflowId,
      documentIds: [documentId],
      initialState: { number },
      callbackUrl: `${receiver.url}/end`,
    };
    return (await post('/api/service/workflow-executions', body, Started)).id;
  };
  const violations: string[] = [];
  const work = async (): Promise<true> => {
    await storm({ options, stored, pool, random, start, begun, recoveries });
    await untilSettled(stored, begun.length);
    return true;
  };
  try {
    const late = pause(options.limitMs, false, { ref: false });
    const inTime = await Promise.race([work(), late]);
    if (!inTime) violations.push(`not everything was over after ${options.limitMs / 60_000} minutes`);
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
  }
  const effects = await verifyExecutions(stored, receiver, begun);
  violations.push(...effects.violations);
  const measured = violations.length === 0 ? await Promise.all(recoveries) : [];
  const seconds = (performance.now() - began) / 1_000;
  const hit = measured.filter((ms) => ms !== null);
  await cleanup.disposeAsync();
  if (violations.length === 0) await rm(dataDir, { recursive: true, force: true }).catch(() => undefined);
  return {
    ...effects,
    violations,
    executions: begun.length,
    kills: recoveries.length,
    seconds,
    recoveries: hit,
    dataDir,
  };
}
