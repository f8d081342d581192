import { graphLimits } from '#src/contracts/resources/graph.ts';
import { list, members } from '#graphs/check/outline.ts';
import type { GraphIssue } from '#graphs/check/issue.ts';

export interface GraphStats {
  readonly nodes: number;
  readonly edges: number;
  readonly channels: number;
  /** Size of the JSON text in UTF-8. */
  readonly bytes: number;
  /** Issues found beyond `maxIssues`. */
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

/** LIMIT_EXCEEDED: the graph is too large for the other rules to check. */
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
      message: `The graph has ${is} ${what}; at most ${most} are allowed.`,
      hint: 'Remove some, or split the graph into several workflows.',
    }));
}
