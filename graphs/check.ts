import { checkChannels } from '#graphs/check/channels.ts';
import { checkExpressions } from '#graphs/check/expressions.ts';
import { checkDoubles, checkEdges, checkFlow } from '#graphs/check/flow.ts';
import { checkLimits, statsOf, type GraphStats } from '#graphs/check/limits.ts';
import { checkCycles } from '#graphs/check/loops.ts';
import { checkMaps } from '#graphs/check/maps.ts';
import { checkNames } from '#graphs/check/names.ts';
import { checkNodeTypes } from '#graphs/check/node-types.ts';
import { checkReads } from '#graphs/check/reads.ts';
import { checkReducers } from '#graphs/check/reducer-conflict.ts';
import { checkReferences } from '#graphs/check/references.ts';
import { checkShape } from '#graphs/check/shape.ts';
import { sketch, type CheckContext } from '#graphs/check/sketch.ts';
import { maxIssues, type GraphIssue } from '#graphs/check/issue.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

export interface GraphCheck {
  /** Nothing but warnings: the graph compiles and runs. */
  readonly valid: boolean;
  /** With every default filled in; there when the shape is right, even if something else is not. */
  readonly graph?: StoredGraph;
  readonly issues: readonly GraphIssue[];
  readonly stats: GraphStats;
}

const rules = [
  checkNodeTypes,
  checkReferences,
  checkEdges,
  checkDoubles,
  checkFlow,
  checkCycles,
  checkMaps,
  checkExpressions,
  checkNames,
  checkChannels,
  checkReads,
  checkReducers,
];

/**
 * Everything that is wrong with a graph, at once. The same function decides at validate, save, publish and run. `raw` comes from
 * a client; a graph over the limits is not looked at any further. `context` is what the graph names outside itself (`referencesOf` says
 * what to load); where a part of it is missing, nothing is said about that. Source: graphs.md "Checking".
 */
export function checkGraph(raw: unknown, catalog: Catalog, context: CheckContext = {}): GraphCheck {
  const object = asJsonObject(raw);
  if (!object) return { valid: false, issues: [notAnObject], stats: noStats };
  const stats = statsOf(object);
  const tooLarge = checkLimits(stats);
  if (tooLarge.length > 0) return { valid: false, issues: tooLarge, stats };
  const shape = checkShape(object);
  const drawn = sketch(object, catalog, context);
  const issues = [...shape.issues, ...rules.flatMap((rule) => rule(drawn))];
  const listed = issues.slice(0, maxIssues);
  return {
    valid: shape.graph !== undefined && issues.every((issue) => issue.severity === 'warning'),
    ...(shape.graph && { graph: shape.graph }),
    issues: listed,
    stats: { ...stats, issuesLeftOut: issues.length - listed.length },
  };
}

const noStats: GraphStats = { nodes: 0, edges: 0, channels: 0, bytes: 0, issuesLeftOut: 0 };

const notAnObject: GraphIssue = {
  severity: 'error',
  code: 'SHAPE_INVALID',
  path: '',
  message: 'A graph is a JSON object.',
  hint: 'Give an object with schemaVersion, name, nodes and edges.',
};

function asJsonObject(raw: unknown): Record<string, unknown> | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  return raw as Record<string, unknown>;
}
