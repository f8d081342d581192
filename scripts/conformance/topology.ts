import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seed, type Seed } from '#app/compose/seed.ts';
import { compose } from '#app/compose.ts';
import { untilFinished, uploadStubbornly, type Way } from '#scripts/chaos/stubborn-client.ts';
import { verifyStored } from '#scripts/chaos/verify.ts';
import { withDatabase } from '#scripts/conformance/with-database.ts';
import { Answers } from '#scripts/topology/answers.ts';
import { Fleet } from '#scripts/topology/fleet.ts';
import { choosePlaces, type Places } from '#scripts/topology/places.ts';
import { readScans } from '#scripts/topology/scans.ts';
import { loadConfig } from '#src/config/config.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';

/** Outcome of processes on the deployment: figures in words, and broken promises, one sentence each. */
export interface TopologyResult {
  readonly figures: readonly string[];
  readonly violations: readonly string[];
}

const clients = 4;
const limitMs = 10 * 60_000;
const names: ReadonlySet<string> = new Set(['api 1', 'api 2', 'agents 1', 'agents 2']);

async function prepare(env: Readonly<Record<string, string>>): Promise<Seed> {
  const config = { ...loadConfig({ ...env, LOG_LEVEL: 'error' }), services: new Set<never>() };
  await using app = await compose(config);
  return await seed(app, config);
}

/** Uploads from several clients, and kills an agents process and an API process on the way. Returns the ids of the documents. */
async function uploadAndKill(
  { places, fleet, of }: { readonly places: Places; readonly fleet: Fleet; readonly of: Seed },
  uploads: number,
  answers: Answers,
): Promise<readonly string[]> {
  const files = await readScans();
  const documents: string[] = [];
  const kills = new Map([
    [Math.ceil(uploads / 3), 'agents 1'],
    [Math.ceil((2 * uploads) / 3), 'api 1'],
  ]);
  const end = performance.now() + limitMs;
  let begun = 0;
  const client = async (index: number): Promise<void> => {
    let turn = index;
    const way: Way = {
      async whereabouts() {
        if (performance.now() > end) throw new Error(`the uploads did not end within ${limitMs / 60_000} minutes`);
        turn += 1;
        await pause(turn > index + 1 ? 20 : 0);
        return places.api[turn % places.api.length]?.url ?? '';
      },
      answered: (status, about) => answers.count(status, about),
    };
    while (begun < uploads) {
      begun += 1;
      const victim = kills.get(begun);
      const file = files[begun % files.length];
      if (file === undefined) throw new Error('there are no scans to upload');
      const documentId = await uploadStubbornly(way, of.workflowKey, file);
      documents.push(documentId);
      if (victim !== undefined) await fleet.kill(fleet.places.findIndex(({ name }) => name === victim));
      await untilFinished(way, of.serviceKey, documentId);
      turn = index;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return documents;
}

/**
 * Runs two API and two agents processes on a database of its own in the deployment, uploads scans while one of each is killed with -9, and counts
 * what is stored. Drops the database. The objects are in a folder of this machine.
 */
export async function tryTopology(uri: string, uploads: number): Promise<TopologyResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-conformance-'));
  const own = withDatabase(uri, `inkgraph_test_${randomUUID()}`);
  const database = connectDatabase(own);
  try {
    const env = {
      DATA_DIR: dataDir,
      MONGODB_URI: own,
      INSTALLATION_SECRET: randomBytes(32).toString('base64'),
      RUN_LEASE_MS: '5000',
    };
    const begun = performance.now();
    const of = await prepare(env);
    const places = await choosePlaces();
    const chosen = places.places.filter(({ name }) => names.has(name));
    const answers = new Answers();
    await using fleet = new Fleet({ dataDir, common: env, places: chosen, requestsFirst: false });
    await fleet.start();
    const documents = await uploadAndKill({ places, fleet, of }, uploads, answers);
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    const violations = await verifyStored(collectionsOf(database.db), of.organizationId, documents);
    return {
      figures: [
        `${documents.length} uploads from ${clients} clients in ${seconds} s, on 2 API and 2 agents processes`,
        `${fleet.kills} processes killed with -9; ${answers.total} answers, ${answers.broken} connections that broke`,
        `answers 5xx: ${answers.summary}`,
      ],
      violations: [...violations, ...answers.violations],
    };
  } finally {
    await database.db.dropDatabase();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
