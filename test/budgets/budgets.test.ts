import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noopCatalog } from '#scripts/bench/targets/noop-workflow.ts';
import { outside, readBudgets, rowOf, type Budget } from '#test/budgets/budgets.ts';
import { columns, startMeter, type Counts, type Meter } from '#test/budgets/meter.ts';
import { requestPaths, runPaths, type Path } from '#test/budgets/paths.ts';

const head = ['path', ...columns, 'slack'].join(' | ');
const rowAfterHead = (commands: string, sent: string, slack: string): string =>
  `${head}\n${['x', commands, sent, ...columns.slice(2).map(() => '0'), slack].join(' | ')}`;

const budgets = readBudgets();
/** A busy machine spreads work over more batches, never over fewer. */
const tries = 4;

const fewest = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(columns.map((name) => [name, Math.min(one[name], other[name])])) as Counts;

/** The fewest of some measurements: of the first if that is within the budget. */
async function untilWithin(budget: Budget, first: Counts, meter: Meter, act: Path): Promise<Counts> {
  let counts = first;
  for (let time = 1; time < tries && outside(budget, counts).length > 0; time += 1)
    counts = fewest(counts, (await meter.measure(act)).counts);
  return counts;
}

async function hold(meter: Meter, path: string, act: Path): Promise<void> {
  const budget = budgets.find((row) => row.path === path);
  // Keys are stamped once a minute, statements prepared once.
  await act();
  const { counts: first, commands } = await meter.measure(act);
  const counts = budget === undefined ? first : await untilWithin(budget, first, meter, act);
  const problems = budget === undefined ? ['there is no budget'] : outside(budget, counts);
  const said = `${problems.join('\n')}\n${rowOf(path, counts, budget?.slack ?? 0)}\n${commands}`;
  expect(problems, said).toEqual([]);
}

function holdAll(env: Record<string, string>, names: readonly string[], pathsOf: typeof requestPaths): void {
  let meter: Meter;
  let paths: Readonly<Record<string, Path>>;
  beforeAll(async () => {
    meter = await startMeter({ env, overrides: { catalog: noopCatalog } });
    paths = await pathsOf(meter.at);
  }, 60_000);
  afterAll(() => meter[Symbol.asyncDispose]());
  test.each(names)('%s costs what the table says', async (path) => {
    await hold(meter, path, paths[path] as Path);
  });
  test('every path is counted', () => expect(Object.keys(paths)).toEqual(names));
}

const runs = ['run of 5 no-op steps', 'search', 'chat question', 'upload and its default workflow'];
const requests = budgets.map(({ path }) => path).filter((path) => !runs.includes(path));

// Without workers: the run that a request leaves is counted with the runs.
describe('a request', () => holdAll({ SERVICES: 'api,mcp' }, requests, requestPaths));
describe('a run', () => holdAll({}, runs, runPaths));

test('a count that is higher than its budget, or lower than its slack, is told with the new row', () => {
  const [budget] = readBudgets(rowAfterHead('10', '1000', '0'));
  if (budget === undefined) throw new Error('there is no row');
  const against = (commands: number, sent: number): string[] => outside(budget, { ...budget, commands, sent });
  expect(against(10, 1_000)).toEqual([]);
  expect(against(10, 950)).toEqual([]);
  expect(against(11, 949)).toEqual([
    'commands: 11 are more than the budget of 10',
    'sent: 949, so lower the budget of 1000',
  ]);
  expect(against(9, 1_000)).toEqual(['commands: 9, so lower the budget of 10']);
  const [loose] = readBudgets(rowAfterHead('10', '1000', '20'));
  if (loose === undefined) throw new Error('there is no row');
  expect(outside(loose, { ...loose, commands: 8, sent: 800 })).toEqual([]);
  expect(outside(loose, { ...loose, commands: 7 })).toEqual(['commands: 7, so lower the budget of 10']);
  expect(readBudgets(`${head}\n${rowOf('x', { ...budget, sent: 12_345 }, 0)}`)).toEqual([{ ...budget, sent: 12_500 }]);
});
