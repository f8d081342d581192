import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of test/ that take the longest, in the order of their seconds on a quiet machine of two cores. */
export const slowFiles: readonly string[] = [
  'scripts/db',
  'agents/durability/effects-once',
  'agents/durability/paused-past-its-lease',
  'embedded/lifecycle-process',
  'scripts/graphs',
  'agents/durability/killed-anywhere',
  'running/lifecycle-damage',
  'attacks/killed-worker',
  'attacks/poisoned-run',
  'mcp/workflows',
  'scripts/keys',
  'running/crash',
  'scripts/secrets',
  'agents/kill-nine',
  'scripts/seed',
  'attacks/graph-runs',
  'attacks/execution',
  'http/execution-events',
  'config/start-up',
  'agents/durability/cancel-elsewhere',
  'agents/durability/sigterm',
  'agents/durability/poison-inside',
];

/**
 * The slowest files first, so that none of them is left running alone at the end; the others as Vitest has them: what failed before,
 * then by what they took, or by size where nothing is known, as in a fresh clone.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of a sequencer, not of an array
    const others = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = slowFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
      return at === -1 ? slowFiles.length : at;
    };
    return others.toSorted((a, b) => place(a) - place(b));
  }
}
