import { AppError } from '#src/domain/app-error.ts';
import { projectFor, type Principal } from '#src/domain/access/principal.ts';

/** Values of `?toolsets=`. `core` is always included. */
export const toolsets = ['core', 'workflows', 'runs', 'documents', 'records', 'experiments', 'keys'] as const;
export type Toolset = (typeof toolsets)[number];

/** Restrictions that the URL of a connection sets. */
export interface McpView {
  /** null: all. */
  readonly toolsets: ReadonlySet<Toolset> | null;
  readonly readOnly: boolean;
}

export const fullView: McpView = { toolsets: null, readOnly: false };

export function hasToolset({ toolsets: kept }: McpView, toolset: Toolset): boolean {
  return toolset === 'core' || kept === null || kept.has(toolset);
}

const known: ReadonlySet<string> = new Set(toolsets);

function refused(name: string, message: string): AppError {
  const errors = [{ pointer: `/${name}`, code: 'invalid_value', message }];
  return new AppError('request.invalid', `The query parameter ${name} is invalid: ${message}.`, {
    errors,
  });
}

function toolsetsIn(given: readonly string[]): ReadonlySet<Toolset> | null {
  if (given.length === 0) return null;
  const names = given.flatMap((value) => value.split(',').map((name) => name.trim()));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw refused('toolsets', `use one or more of ${toolsets.join(', ')}`);
  return new Set(names as Toolset[]);
}

function readOnlyIn(given: readonly string[]): boolean {
  if (given.every((value) => value === 'false')) return false;
  if (given.every((value) => value === 'true')) return true;
  throw refused('read_only', 'use true or false');
}

/** Reads the view from the query of a URL. Other parameters are ignored. Error: `request.invalid`. */
function viewIn(query: URLSearchParams): McpView {
  const view = { toolsets: toolsetsIn(query.getAll('toolsets')), readOnly: readOnlyIn(query.getAll('read_only')) };
  return view.toolsets === null && !view.readOnly ? fullView : view;
}

interface Narrowed {
  readonly principal: Principal;
  readonly view: McpView;
}

/**
 * Restricts the caller to the view in the URL: `?toolsets=`, `?read_only=true`, `?project=prj_...`. Read for every request, since each has the
 * URL. Errors: `request.invalid`; `project.not_found` for a project that is not the caller's.
 */
export function narrow(principal: Principal, address: string): Narrowed {
  const start = address.indexOf('?');
  if (start === -1) return { principal, view: fullView };
  const query = new URLSearchParams(address.slice(start + 1));
  const [project, ...more] = query.getAll('project');
  const view = viewIn(query);
  if (project === undefined) return { principal, view };
  // Every named project must be the caller's.
  const projectIds = new Set([project, ...more].map((id) => projectFor(principal, id)));
  return { principal: { ...principal, projectIds: [...projectIds] }, view };
}
