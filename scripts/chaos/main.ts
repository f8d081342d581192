import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Seed } from '#app/compose/seed.ts';
import type { PauseOutcome } from '#scripts/chaos/pause.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { Restarter, type Victim } from '#scripts/chaos/restarter.ts';
import { ServiceKiller } from '#scripts/chaos/service-killer.ts';
import { untilFinished, uploadStubbornly } from '#scripts/chaos/stubborn-client.ts';
import { verifyFolder } from '#scripts/chaos/verify.ts';
import { seeded } from '#scripts/fixtures/random.ts';

export interface ChaosOptions {
  readonly uploads: number;
  readonly kills: number;
  /** Pauses of the process that runs the database, spread among the kills, and the length of each in seconds. */
  readonly pauses: { readonly count: number; readonly seconds: number };
  /** The same seed chooses the same files and the same moments. */
  readonly seed: number;
  /** Time limit; after it, the service is killed and missing results are reported. */
  readonly limitMs: number;
  /** true: kills the service processes in turn, and their supervisor starts them again. */
  readonly processes: boolean;
  progress(text: string): void;
}

export interface Outcome {
  readonly uploads: number;
  readonly kills: number;
  readonly seconds: number;
  /** Milliseconds from each kill until the service was up again. */
  readonly restarts: readonly number[];
  /** Milliseconds without an answer of the API after each kill of one of the processes; null when everything was killed. */
  readonly gaps: { readonly front: readonly number[]; readonly agents: readonly number[] } | null;
  readonly pauses: readonly PauseOutcome[];
  /** Promises broken, one sentence each. */
  readonly violations: readonly string[];
  /** Removed when nothing was broken. */
  readonly dataDir: string;
}

/** Pages that take longer than the service lives between two kills among them. */
const scans = [
  ['note.gif', 'image/gif'],
  ['form.png', 'image/png'],
  ['receipt.jpg', 'image/jpeg'],
  ['invoice.pdf', 'application/pdf'],
] as const;
// Kills come so fast that a long page dies of several: a run that is given up would hide that one is lost.
const env = { SERVICES: 'api,agents', RUN_LEASE_MS: '1000', RUN_MAX_DEATHS: '1000' };
/** A kill comes this long after the service is up at the latest. */
const longestLifeMs = 2_500;

async function readScans(): Promise<{ bytes: Buffer; contentType: string }[]> {
  return Promise.all(
    scans.map(async ([name, contentType]) => ({
      bytes: await readFile(new URL(`../../test/fixtures/${name}`, import.meta.url)),
      contentType,
    })),
  );
}

/** Number of pauses that come after this kill. */
const pausesAfter = (kill: number, { kills, pauses: { count } }: ChaosOptions): number =>
  Array.from({ length: count }, (_, at) => Math.ceil((kills * (at + 1)) / (count + 1))).filter((one) => one === kill)
    .length;

/**
 * Uploads in batches, a kill at a random moment after each batch, and pauses among them; answers the acknowledged documents when all runs are
 * over.
 */
async function storm(
  restarter: Victim,
  { seed, options, pauses }: { readonly seed: Seed; readonly options: ChaosOptions; readonly pauses: PauseOutcome[] },
): Promise<string[]> {
  const files = await readScans();
  const random = seeded(options.seed);
  let ended = 0;
  const documents: Promise<string>[] = [];
  const follow = async (file: (typeof files)[number]): Promise<string> => {
    const documentId = await uploadStubbornly(restarter, seed.workflowKey, file);
    await untilFinished(restarter, seed.serviceKey, documentId);
    ended += 1;
    return documentId;
  };
  for (let kill = 1; kill <= options.kills; kill += 1) {
    while (documents.length < (options.uploads * kill) / options.kills) {
      const file = files[Math.floor(random.next() * files.length)] ?? files[0];
      if (file === undefined) throw new Error('there are no scans to upload');
      const document = follow(file);
      // Told by Promise.all below; it must not go unhandled until then.
      document.catch(() => undefined);
      documents.push(document);
    }
    await pause(random.next() * longestLifeMs);
    await restarter.kill();
    options.progress(`kill ${kill} of ${options.kills}: ${documents.length} uploads begun, ${ended} runs ended`);
    for (let left = pausesAfter(kill, options); left > 0; left -= 1) {
      pauses.push(await restarter.pause(options.pauses.seconds));
      options.progress(`pause of ${options.pauses.seconds} s: ${ended} runs ended`);
    }
  }
  return Promise.all(documents);
}

/** The whole exercise on a folder of its own. Source: docs/decisions/0011. */
export async function chaos(options: ChaosOptions): Promise<Outcome> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const started = performance.now();
  options.progress(`seed ${options.seed}, folder ${dataDir}`);
  const seed = await prepareFolder(dataDir);
  let documentIds: string[] = [];
  const violations: string[] = [];
  const pauses: PauseOutcome[] = [];
  let restarts: readonly number[] = [];
  let gaps: Outcome['gaps'] = null;
  {
    await using restarter = options.processes ? new ServiceKiller({ dataDir, env }) : new Restarter({ dataDir, env });
    const late = pause(options.limitMs, null, { ref: false });
    try {
      const done = await Promise.race([storm(restarter, { seed, options, pauses }), late]);
      if (done === null) violations.push(`not everything was over after ${options.limitMs / 60_000} minutes`);
      else documentIds = done;
    } catch (error) {
      violations.push(error instanceof Error ? error.message : String(error));
    }
    restarts = restarter.restarts;
    if (restarter instanceof ServiceKiller) gaps = restarter.gaps;
  }
  violations.push(...pauses.flatMap((one) => one.violations));
  violations.push(...(await verifyFolder(dataDir, seed.organizationId, documentIds)));
  if (violations.length === 0) await rm(dataDir, { recursive: true, force: true });
  const seconds = (performance.now() - started) / 1_000;
  return { uploads: documentIds.length, kills: restarts.length, seconds, restarts, gaps, pauses, violations, dataDir };
}
