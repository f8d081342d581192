import { setTimeout as pause } from 'node:timers/promises';
import { untilFinished, uploadStubbornly, type Way } from '#scripts/chaos/stubborn-client.ts';
import { seeded } from '#scripts/fixtures/random.ts';
import { Answers } from '#scripts/topology/answers.ts';
import type { Field, Load, Outcome } from '#scripts/topology/field.ts';
import { LiveViews } from '#scripts/topology/live-views.ts';
import { readScans } from '#scripts/topology/scans.ts';

export interface StormOptions extends Load {
  readonly killEveryMs: number;
  readonly seed: number;
  /** Nothing is broken. */
  readonly isCalm: boolean;
}

const redisStopMs = 10_000;
const s3BreakMs = 10_000;
/** Longest time after which a request to S3 that began while it was broken is given up: three attempts with their pauses. */
const s3RetryMs = 3_000;

/** Faults that excuse failing answers, while they last. */
class Faults {
  #s3Until = 0;

  breakS3(): void {
    this.#s3Until = performance.now() + s3BreakMs + s3RetryMs;
  }

  excuse(): string | null {
    return performance.now() < this.#s3Until ? 'while S3 was broken' : null;
  }
}

/** Uploads from many clients at once, each at its own API process, and the next one's when that one is away. */
async function load({ places, seed }: Field, options: Load, answers: Answers): Promise<string[]> {
  const files = await readScans();
  const bases = places.api.map(({ url }) => url);
  const end = performance.now() + options.limitMs;
  let begun = 0;
  const client = async (index: number): Promise<string[]> => {
    let turn = index;
    const way: Way = {
      async whereabouts() {
        turn += 1;
        // A client that was refused a connection does not hammer the next one.
        await pause(turn > index + 1 ? 20 : 0);
        return bases[turn % bases.length] ?? '';
      },
      answered: (status, about) => answers.count(status, about),
    };
    const documents: string[] = [];
    while (begun < options.uploads && performance.now() < end) {
      begun += 1;
      const file = files[begun % files.length];
      if (file === undefined) throw new Error('there are no scans to upload');
      const documentId = await uploadStubbornly(way, seed.workflowKey, file);
      await untilFinished(way, seed.serviceKey, documentId);
      documents.push(documentId);
      turn = index;
    }
    return documents;
  };
  return (await Promise.all(Array.from({ length: options.clients }, (_, index) => client(index)))).flat();
}

/** Breaks something every few seconds until `isOver`. */
async function storm(
  { fleet, redis, bucket }: Field,
  { killEveryMs, seed: start }: StormOptions,
  faults: Faults,
  isOver: () => boolean,
): Promise<void> {
  const random = seeded(start);
  for (let turn = 1; !isOver(); turn += 1) {
    await pause(killEveryMs);
    if (isOver()) return;
    const name = await fleet.kill(Math.floor(random.next() * 7));
    process.stderr.write(`killed ${name}\n`);
    if (turn === 15 && bucket !== null) {
      faults.breakS3();
      void bucket.line.breakFor(s3BreakMs);
    }
    if (redis === null) continue;
    if (turn === 4 || turn === 12) await redis.empty();
    if (turn === 7) void redis.stopFor(redisStopMs);
  }
}

/** Uploads while processes are killed and their dependencies break. Clients retry, and every answer is counted. */
export async function underFire(field: Field, options: StormOptions): Promise<Outcome> {
  const faults = new Faults();
  const answers = new Answers(() => faults.excuse());
  const views = await LiveViews.open(
    field.places.api.map(({ url }) => url),
    field.seed,
    (status, about) => answers.count(status, about),
  );
  let isOver = options.isCalm;
  const fire = storm(field, options, faults, () => isOver);
  const violations: string[] = [];
  let documents: readonly string[] = [];
  const begun = performance.now();
  try {
    documents = await load(field, options, answers);
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
  }
  const minutes = (performance.now() - begun) / 60_000;
  isOver = true;
  await fire;
  await field.redis?.goOn();
  violations.push(...(await views.close(documents)), ...answers.violations);
  const { fleet, bucket } = field;
  return {
    documents,
    violations,
    figures: [
      ['uploads per minute', (documents.length / minutes).toFixed(0)],
      ['kills', `${fleet.kills}, and ${fleet.failedStarts} starts that failed`],
      ['live views', `connected again ${views.reconnects} times`],
      ['answers', `${answers.total - answers.broken}, and ${answers.broken} connections that broke`],
      ['answers 5xx', answers.summary],
      ...(bucket === null ? [] : [['503 of S3', String(bucket.line.refused)] as const]),
    ],
  };
}
