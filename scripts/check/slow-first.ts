import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of test/ that take the longest, in the order of their seconds on a quiet machine of two cores. */
const slowFiles: readonly string[] = [
  'adapters/objects-s3',
  'mcp/experiments',
  'scripts/moving/moving',
  'agents/kill-nine',
  'experiments/comparison',
  'attacks/database-outage',
  'agents/durability/effects-once',
  'adapters/search/index-conformance',
  'agents/durability/paused-past-its-lease',
  'mcp/workflows',
  // Start whole services, which takes long beside lint and types: after these.
  'supervisor/processes',
  'supervisor/drain',
  'running/crash',
  'attacks/killed-worker',
  'experiments/killed-experiment',
  'attacks/poisoned-run',
  'config/start-up',
  'agents/durability/killed-anywhere',
  'embedded/lifecycle-process',
  'mcp/clients/stdio',
  'experiments/gate',
  'examples/examples',
  'graphs/presets',
  'mcp/reading/updates',
  'experiments/search',
  'auth/accounts',
  'mcp/conformance/server',
  'http/execution-events',
  'attacks/graphs',
  'container/image',
  'attacks/graph-runs',
  'agents/durability/sigterm',
  'agents/run-claims',
  'adapters/ocr/effort',
  'adapters/ocr/engine',
  'properties/plans',
  'redis/outage',
  'auth/passkeys/ceremonies',
  'adapters/images/hostile-pdf',
  'embedded/tenancy',
  'search-quality/search-quality',
  'redis/two-processes',
  'supervisor/service-process',
  'running/lifecycle',
  'graphs/nodes/preprocess',
  'agents/durability/cancel-elsewhere',
  'agents/durability/poison-inside',
  'auth/seeded-session',
  'running/lifecycle-damage',
];

/** Index in `slowFiles` of a test file, given by any path of it; -1 for a file that is not slow. */
export const slownessOf = (path: string): number =>
  slowFiles.findIndex((name) => path.endsWith(`/test/${name}.test.ts`) || path === `test/${name}.test.ts`);

/**
 * The slowest files first, so that none of them is left running alone at the end; the others as Vitest has them: what failed before,
 * then by what they took, or by size where nothing is known, as in a fresh clone.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of a sequencer, not of an array
    const others = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const at = slownessOf(moduleId);
      return at === -1 ? slowFiles.length : at;
    };
    return others.toSorted((a, b) => place(a) - place(b));
  }
}
