import { checkChannels, declarationsOf } from '#graphs/check/channels.ts';
import { checkExpressions } from '#graphs/check/expressions.ts';
import { checkDoubles, checkEdges, checkFlow } from '#graphs/check/flow.ts';
import { checkInstallation } from '#graphs/check/installation/lacks.ts';
import { checkMissingSecrets } from '#graphs/check/installation/secrets.ts';
import { checkUnusedOutputs } from '#graphs/check/installation/outputs.ts';
import { checkLimits, statsOf, type GraphStats } from '#graphs/check/limits.ts';
import { checkCycles } from '#graphs/check/loops.ts';
import { checkMaps } from '#graphs/check/maps.ts';
import { checkNames } from '#graphs/check/names.ts';
import { checkNodeTypes } from '#graphs/check/node-types.ts';
import { checkReads } from '#graphs/check/reads.ts';
import { checkReducers } from '#graphs/check/reducer-conflict.ts';
import { checkReferences } from '#graphs/check/references.ts';
import { checkTool } from '#graphs/check/installation/tool.ts';
import { checkShape } from '#graphs/check/shape.ts';
import { typedOutlineOf } from '#graphs/typing/graph-types.ts';
import type { CheckContext } from '#graphs/check/outline.ts';
import { maxIssues, type GraphIssue } from '#graphs/check/issue.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

export interface GraphCheck {
  /** No errors, only warnings: the graph compiles and runs. */
  readonly valid: boolean;
  /** The parsed graph with defaults; present if the shape is valid, even if other rules report errors. */
  readonly graph?: StoredGraph;
  readonly issues: readonly GraphIssue[];
  readonly stats: GraphStats;
  /** Operations that declare the channels that nodes write and `state` leaves out. Empty if the shape is invalid. */
  readonly declarations: readonly Operation[];
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
  checkMissingSecrets,
  checkInstallation,
  checkUnusedOutputs,
  checkTool,
];

/**
 * Finds all issues of a graph. Validate, save, publish and run use this function. `raw` is JSON of a client; a graph over the limits is
 * not checked further. `context` holds the secrets and workflows that the graph refers to (`referencesOf` lists them); rules without
 * their facts are skipped. Source: docs/decisions/0028.
 */
export function checkGraph(raw: unknown, catalog: Catalog, context: CheckContext = {}): GraphCheck {
  const object = asJsonObject(raw);
  if (!object) return { valid: false, issues: [notAnObject], stats: noStats, declarations: [] };
  const stats = statsOf(object);
  const tooLarge = checkLimits(stats);
  if (tooLarge.length > 0) return { valid: false, issues: tooLarge, stats, declarations: [] };
  const shape = checkShape(object);
  const drawn = typedOutlineOf(object, catalog, context);
  const issues = [...shape.issues, ...rules.flatMap((rule) => rule(drawn))];
  const listed = issues.slice(0, maxIssues);
  return {
    valid: shape.graph !== undefined && issues.every((issue) => issue.severity === 'warning'),
    ...(shape.graph && { graph: shape.graph }),
    issues: listed,
    stats: { ...stats, issuesLeftOut: issues.length - listed.length },
    declarations: shape.graph === undefined ? [] : declarationsOf(drawn),
  };
}

const noStats: GraphStats = { nodes: 0, edges: 0, channels: 0, bytes: 0, issuesLeftOut: 0 };

const notAnObject: GraphIssue = {
  severity: 'error',
  code: 'SHAPE_INVALID',
  path: '',
  message: 'The graph is not a JSON object.',
  hint: 'Send an object with schemaVersion, name, nodes and edges.',
};

function asJsonObject(raw: unknown): Record<string, unknown> | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  return raw as Record<string, unknown>;
}
