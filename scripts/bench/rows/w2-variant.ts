import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { figureOf } from '#scripts/bench/figures.ts';
import { startChild } from '#scripts/bench/processes/child.ts';
import { serviceEnvironment } from '#scripts/bench/processes/inkgraph.ts';
import { scaled, type Row } from '#scripts/bench/row.ts';
import type { VariantResult } from '#scripts/bench/targets/variant-runs.ts';

/** W2: what a changed last node costs where everything before it was done already. */
export const variant: Row = {
  id: 'W2',
  async measure(context) {
    const dataDir = await mkdtemp(join(context.scratch, 'data-'));
    await using child = startChild(new URL('../targets/variant-runs.ts', import.meta.url), {
      env: { ...serviceEnvironment(dataDir), SERVICES: 'agents' },
      profiles: context.profiles,
    });
    const documents = scaled(context, 100);
    context.progress(`first run over ${documents} documents`);
    const first = await child.ask<VariantResult>('first', documents);
    const variants: VariantResult[] = [];
    for (let number = 1; number <= context.runs; number += 1) {
      context.progress(`variant ${number} of ${context.runs}`);
      variants.push((await child.count('W2-variant', () => child.ask<VariantResult>('variant', number))).result);
    }
    const name = 'first run';
    const seconds = (one: VariantResult): number => one.elapsedMs / 1_000;
    const each = (one: VariantResult): number => one.ran / documents;
    const kept = variants.map((one) => one.takenFromCache / documents).join(', ');
    return [
      {
        id: 'W2',
        what: `document-intake with another last node over ${documents} documents`,
        unit: 's',
        ours: figureOf(variants.map(seconds)),
        peer: { name, figure: figureOf(variants.map(() => seconds(first))) },
        goal: { of: 'ratio', atMost: 0.1 },
      },
      {
        id: 'W2',
        what: 'the same: nodes that ran again, by document',
        unit: 'nodes',
        ours: figureOf(variants.map(each)),
        peer: { name, figure: figureOf(variants.map(() => each(first))) },
        goal: { of: 'value', atMost: 1, atLeast: 1 },
        note: `nodes by document whose outcome was taken from the cache: ${kept}`,
      },
    ];
  },
};
