export type IssueCode =
  | 'SHAPE_INVALID'
  | 'NODE_TYPE_UNKNOWN'
  | 'CONFIG_INVALID'
  | 'EDGE_TARGET_UNKNOWN'
  | 'NO_ENTRY'
  | 'UNREACHABLE'
  | 'DEAD_END'
  | 'CYCLE_WITHOUT_EXIT'
  | 'CHANNEL_UNKNOWN'
  | 'CHANNEL_READ_BEFORE_WRITE'
  | 'REDUCER_CONFLICT'
  | 'ID_COLLISION'
  | 'LIMIT_EXCEEDED';

/** One problem of a graph. `path` is a JSON Pointer into what was given; `hint` says the way out. An error keeps it from running. */
export interface GraphIssue {
  readonly severity: 'error' | 'warning';
  readonly code: IssueCode;
  readonly path: string;
  readonly nodeId?: string;
  readonly message: string;
  readonly hint: string;
}

/** JSON Pointer of a path. Source: RFC 6901 §3. */
export function pointer(...path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function nodeError(code: IssueCode, nodeId: string, message: string, hint: string): GraphIssue {
  return { severity: 'error', code, path: pointer('nodes', nodeId), nodeId, message, hint };
}
