import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchContext, Line } from '#scripts/bench/row.ts';
import { rows } from '#scripts/bench/rows.ts';

/** A row that could not be measured is a line of its own: the others still count. */
async function measureAll(only: readonly string[], context: BenchContext): Promise<Line[]> {
  const lines: Line[] = [];
  for (const row of rows) {
    if (only.length > 0 && !only.includes(row.id)) continue;
    try {
      const progress = (text: string): void => context.progress(`${row.id} ${text}`);
      lines.push(...(await row.measure({ ...context, progress })));
    } catch (error) {
      const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
      lines.push({ id: row.id, what: 'failed', unit: '', ours: null, goal: { of: 'ratio' }, note });
    }
  }
  return lines;
}

/** Measures these rows, or all, with a scratch folder that is removed afterwards. */
export async function measure(only: readonly string[], context: Omit<BenchContext, 'scratch'>): Promise<Line[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'inkgraph-bench-'));
  try {
    return await measureAll(only, { ...context, scratch });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
