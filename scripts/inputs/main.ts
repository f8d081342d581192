import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { startService } from '#scripts/chaos/service-process.ts';
import type { Input } from '#scripts/inputs/input.ts';
import { outcomes, tryInput, type Outcome, type Place, type Result } from '#scripts/inputs/try-input.ts';

/** Inputs on their way at a time. */
const atOnce = 4;

/** Tries all inputs, a few at a time. */
export async function tryInputs(
  place: Place,
  inputs: readonly Input[],
  tried: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...inputs].values();
  const work = async (): Promise<void> => {
    for (const input of waiting) {
      const result = await tryInput(place, input);
      results.push(result);
      tried(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** The same on a service of its own: a process with the API and the agents. */
export async function tryOnService(
  inputs: readonly Input[],
  tried: (result: Result) => void,
): Promise<{ readonly results: readonly Result[]; readonly isUp: boolean }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-inputs-'));
  try {
    const { workflowKey, serviceKey } = await prepareFolder(dataDir);
    await using service = await startService({ dataDir, env: { SERVICES: 'api,agents', LOG_LEVEL: 'info' } });
    const results = await tryInputs({ api: service.addresses.api, workflowKey, serviceKey }, inputs, tried);
    const isUp = (await fetch(new URL('/livez', service.addresses.api)).catch(() => null))?.ok === true;
    return { results, isUp };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const broken: ReadonlySet<Outcome> = new Set(['silent blank', 'crash']);
export const breaksPromise = ({ outcome }: Result): boolean => broken.has(outcome);

/** Counts of each group by outcome, and a row of all. */
export function tableOf(results: readonly Result[]): string {
  const groups = [...new Set(results.map(({ input }) => input.group))];
  const count = (of: readonly Result[], outcome: Outcome): number =>
    of.filter((result) => result.outcome === outcome).length;
  const row = (name: string, of: readonly Result[]): string =>
    `| ${name} | ${of.length} | ${outcomes.map((outcome) => count(of, outcome)).join(' | ')} |`;
  return [
    `| Inputs | | ${outcomes.join(' | ')} |`,
    `| --- | --- | ${outcomes.map(() => '---').join(' | ')} |`,
    ...groups.map((group) =>
      row(
        group,
        results.filter(({ input }) => input.group === group),
      ),
    ),
    row('all', results),
  ].join('\n');
}

/** Reasons of refusals, failures and warnings, by how often they came. */
export function reasonsOf(results: readonly Result[]): string {
  const counts = new Map<string, number>();
  for (const { outcome, reason } of results)
    if (outcome !== 'read' && outcome !== 'blank' && !broken.has(outcome))
      counts.set(`${outcome} ${reason}`, (counts.get(`${outcome} ${reason}`) ?? 0) + 1);
  return [...counts]
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, count]) => `${count} ${name}`)
    .join('\n');
}
