import { graphLimits } from '#src/contracts/resources/graph.ts';
import { list, members } from '#graphs/check/sketch.ts';
import type { GraphIssue } from '#graphs/check/issue.ts';

export interface GraphStats {
  readonly nodes: number;
  readonly edges: number;
  readonly channels: number;
  /** Of the JSON text, as UTF-8. */
  readonly bytes: number;
  /** Problems that were found but are not listed. */
  readonly issuesLeftOut: number;
}

export function statsOf(raw: Record<string, unknown>): GraphStats {
  return {
    nodes: members(raw['nodes']).length,
    edges: list(raw['edges']).length,
    channels: members(raw['state']).length,
    bytes: Buffer.byteLength(JSON.stringify(raw)),
    issuesLeftOut: 0,
  };
}

/** LIMIT_EXCEEDED: sizes that no other rule should have to look at. */
export function checkLimits(stats: GraphStats): GraphIssue[] {
  const sizes = [
    { path: '/nodes', what: 'nodes', is: stats.nodes, most: graphLimits.nodes },
    { path: '/edges', what: 'edges', is: stats.edges, most: graphLimits.edges },
    { path: '/state', what: 'channels', is: stats.channels, most: graphLimits.channels },
    { path: '', what: 'bytes of JSON', is: stats.bytes, most: graphLimits.bytes },
  ];
  return sizes
    .filter(({ is, most }) => is > most)
    .map(({ path, what, is, most }) => ({
      severity: 'error',
      code: 'LIMIT_EXCEEDED',
      path,
      message: `The graph has ${is} ${what}; ${most} are allowed.`,
      hint: 'Make it smaller, or split it into several workflows.',
    }));
}
