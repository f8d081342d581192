import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of test/ that take the longest, in the order of their seconds on a quiet machine of two cores. */
const slowFiles: readonly string[] = [
  'web/journeys',
  'adapters/objects-s3',
  'agents/kill-nine',
  'attacks/slow-database',
  'scripts/inkgraph/own-project',
  'libraries/fail-points',
  'mcp/experiments',
  'mcp/workflows',
  'eval/suite',
  'scripts/moving/moving',
  'agents/durability/effects-once',
  'conformance/deployment',
  'mcp/reading/near-duplicates',
  'agents/durability/paused-past-its-lease',
  'langgraph/studio',
  // Start whole services, which takes long beside lint and types: after these.
  'supervisor/processes',
  'supervisor/drain',
  'running/crash',
  'attacks/killed-worker',
  'mcp/clients/stdio',
  'attacks/poisoned-run',
  'embedded/lifecycle-process',
  'experiments/killed-experiment',
  'agents/durability/killed-anywhere',
  'agents/durability/poison-inside',
  'agents/durability/cancel-elsewhere',
  'agents/durability/sigterm',
  'web/pages-as-read',
  'container/image',
  'attacks/graphs',
  'spec/proofs/degraded',
  'adapters/ocr/effort',
  'adapters/ocr/engine',
  'scripts/bench/inputs',
  'examples/guide/guide-blocks',
  'experiments/comparison',
  'examples/examples',
  'embedded/tenancy',
  'attacks/experiment-runs',
  'adapters/search/index-conformance',
  'web/select-all',
  'adapters/images/hostile-pdf',
  'attacks/experiments',
  'examples/folder-to-csv',
  'attacks/killed-long-document',
  'scripts/plain-count-reporter',
  'graphs/presets',
  'scripts/graphs',
  'mcp/reading/updates',
  'mcp/clients/step-up',
  'running/lifecycle-damage',
  'mcp/conformance/server',
  'adapters/images/pdf-losses',
  'semantics/search-properties',
  'regression/tesseract-default-segmentation',
  'properties/plans',
  'attacks/graph-runs',
  'http/execution-events',
  'attacks/secret-echo',
  'graphs/nodes/long-document',
  'search-quality/search-quality',
  'adapters/images/corrupted',
  'semantics/plans',
  'scripts/inkgraph/push',
  'scripts/seed',
  'graphs/nodes/preprocess',
  'attacks/tenants',
  'auth/passkeys/ceremonies',
  'experiments/search',
  'redis/outage',
  'properties/update',
  'adapters/images/heic/heic',
  'experiments/gate',
  'supervisor/service-process',
  'http/media',
  'auth/mail',
  'examples/agents',
  'auth/accounts',
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
