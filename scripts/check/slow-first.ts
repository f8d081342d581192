import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of test/ that take the longest, in the order of their seconds on a quiet machine of two cores. */
const slowFiles: readonly string[] = [
  'mcp/experiments',
  'experiments/comparison',
  'experiments/killed-experiment',
  'attacks/secret-echo',
  'experiments/search',
  'experiments/gate',
  'adapters/ocr/engine',
  'mcp/workflows',
  'agents/durability/killed-anywhere',
  'running/crash',
  'agents/durability/effects-once',
  'agents/durability/paused-past-its-lease',
  'attacks/poisoned-run',
  'attacks/killed-worker',
  'agents/kill-nine',
  // Starts whole services, which takes long beside lint and types: after these.
  'supervisor/processes',
  'properties/plans',
  'graphs/presets',
  'graphs/nodes/preprocess',
  'examples/examples',
  'examples/guide-blocks',
  'auth/accounts',
  'scripts/seed',
  'running/lifecycle-damage',
  'http/execution-events',
  'config/start-up',
  'embedded/lifecycle-process',
  'mcp/conformance/server',
  'regression/tesseract-default-segmentation',
  'search-quality/search-quality',
  'mcp/clients/stdio',
  'scripts/plain-count-reporter',
  'http/dashboard-documents-list',
  'adapters/objects-disk',
  'scripts/db',
  'scripts/graphs',
  'properties/update',
  'agents/durability/cancel-elsewhere',
  'agents/durability/sigterm',
  'agents/durability/poison-inside',
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
