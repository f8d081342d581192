import type { Operation } from '#src/contracts/resources/operation.ts';

export type IssueCode =
  | 'SHAPE_INVALID'
  | 'NODE_TYPE_UNKNOWN'
  | 'CONFIG_INVALID'
  | 'EDGE_TARGET_UNKNOWN'
  | 'EDGE_DUPLICATE'
  | 'NO_ENTRY'
  | 'UNREACHABLE'
  | 'DEAD_END'
  | 'CYCLE_WITHOUT_EXIT'
  | 'LOOP_ENTRY_AMBIGUOUS'
  | 'ROUTER_WITHOUT_ELSE'
  | 'ERROR_ROUTE_INVALID'
  | 'CHANNEL_UNKNOWN'
  | 'CHANNEL_READ_BEFORE_WRITE'
  | 'REDUCER_CONFLICT'
  | 'MAP_NOT_ARRAY'
  | 'MAP_TARGET_INVALID'
  | 'ID_COLLISION'
  | 'EXPRESSION_INVALID'
  | 'FIELD_UNKNOWN'
  | 'VALUE_UNKNOWN'
  | 'TEMPLATE_LITERAL'
  | 'SECRET_UNKNOWN'
  | 'SECRET_UNBOUND'
  | 'SECRET_MISSING'
  | 'MODEL_UNAVAILABLE'
  | 'HOST_NOT_LISTED'
  | 'LANGUAGE_MISSING'
  | 'OUTPUT_UNUSED'
  | 'SUBGRAPH_UNKNOWN'
  | 'SUBGRAPH_CYCLE'
  | 'TOOL_INVALID'
  | 'LIMIT_EXCEEDED';

/**
 * One problem of a graph. `path` is a JSON Pointer (RFC 6901) into the graph, `hint` says what to do. An error prevents the graph from
 * running. `fix` are operations that correct the problem, if a program can know them: applied to a graph of the right shape, they remove
 * this issue and add no other.
 */
export interface GraphIssue {
  readonly severity: 'error' | 'warning';
  readonly code: IssueCode;
  readonly path: string;
  readonly nodeId?: string;
  readonly message: string;
  readonly hint: string;
  readonly fix?: readonly Operation[];
}

/** Limits the issues of one reply to what a person or an agent can correct in one step. */
export const maxIssues = 200;

/** JSON Pointer of a path (RFC 6901 §3). */
export function pointer(...path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function nodeError(code: IssueCode, nodeId: string, message: string, hint: string): GraphIssue {
  return { severity: 'error', code, path: pointer('nodes', nodeId), nodeId, message, hint };
}

export function errorAt(code: IssueCode, path: string, message: string, hint: string): GraphIssue {
  return { severity: 'error', code, path, message, hint };
}

/** Adds a fix to an issue; without operations, returns the issue unchanged. */
export function fixedBy(issue: GraphIssue, ...fix: readonly Operation[]): GraphIssue {
  return fix.length === 0 ? issue : { ...issue, fix };
}

export function warning(issue: GraphIssue): GraphIssue {
  return { ...issue, severity: 'warning' };
}

/** Without `value`, the operation removes the field. */
export function setField(path: string, ...value: readonly [] | readonly [unknown]): Operation {
  return value.length === 0 ? { op: 'set_field', path } : { op: 'set_field', path, value: value[0] };
}
