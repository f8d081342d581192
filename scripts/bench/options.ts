import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText } from '#scripts/cli/help.ts';
import { UsageError } from '#scripts/cli/with-app.ts';

export interface Options {
  /** Ids of rows in capitals; empty: all. */
  readonly only: readonly string[];
  readonly images: readonly string[];
  /** Table of what stands on the images of the only folder, instead of the one in that folder. */
  readonly truth: string | null;
  readonly quick: boolean;
  readonly strict: boolean;
  readonly runs: number;
  readonly json: string | null;
  readonly profiles: string | null;
  /** Commit to compare the working tree with. */
  readonly compare: string | null;
}

export const usage = helpText({
  usage: 'npm run bench [-- options]',
  does: 'Measures Inkgraph beside its peers: docs/benchmarks.md.',
  options: [
    ['--only G1,G4', 'these rows only; default: all'],
    [
      '--images <folder>',
      'images with their text beside them (<name>.txt) or a ground-truth.json; may be repeated; default: the samples',
    ],
    [
      '--truth <file>',
      'what stands on the images of --images, in the form of a ground-truth.json elsewhere; default: none',
    ],
    ['--quick', 'fewer operations a run: minutes less, and more noise'],
    ['--runs <n>', 'interleaved runs of each side, 5 or more; default: 5'],
    ['--json <file>', 'place of the figures; default: bench-results/<time>.json'],
    [
      '--profile <folder>',
      'CPU profiles of the processes under test, with a summary (figures are slower then); default: none',
    ],
    [
      '--compare <commit>',
      'measures the working tree and that commit in turns, without peers; prints ratios and their spread; default: none',
    ],
    ['--strict', 'exit code 1 when a ratio misses its goal by more than a factor of 1.3, or a comparison is worse'],
  ],
  examples: [
    'npm run bench -- --only G8,G12 --images scans --truth truth.json',
    'npm run bench -- --quick --only G1',
    'npm run bench -- --compare main --only S2',
  ],
});

/** Throws UsageError, or parseArgs' own error for an unknown option. */
export function readOptions(args: readonly string[], rowIds: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      images: { type: 'string', multiple: true, default: [] },
      truth: { type: 'string' },
      quick: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      runs: { type: 'string', default: '5' },
      json: { type: 'string' },
      profile: { type: 'string' },
      compare: { type: 'string' },
    },
  });
  const only = (values.only ?? '').split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim().toUpperCase()]));
  const unknown = only.filter((id) => !rowIds.includes(id));
  if (unknown.length > 0)
    throw new UsageError(`--only: there is no row ${unknown.join(', ')}; there are ${rowIds.join(', ')}.`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 5 || runs > 100) throw new UsageError('--runs: a whole number, 5 to 100.');
  if (values.truth !== undefined && values.images.length !== 1)
    throw new UsageError('--truth: needs exactly one --images, the folder whose images it names.');
  return {
    only,
    images: values.images.map((folder) => resolve(folder)),
    truth: values.truth === undefined ? null : resolve(values.truth),
    quick: values.quick,
    strict: values.strict,
    runs,
    json: values.json === undefined ? null : resolve(values.json),
    profiles: values.profile === undefined ? null : resolve(values.profile),
    compare: values.compare ?? null,
  };
}
