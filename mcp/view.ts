import { AppError } from '#src/domain/app-error.ts';

/** What a connection may be narrowed to by `?toolsets=`. `core` is always there. Source: mcp.md "Endpoint". */
export const toolsets = ['core', 'workflows', 'runs', 'documents', 'experiments', 'keys'] as const;
export type Toolset = (typeof toolsets)[number];

/** What the address of a connection narrows it to. */
export interface McpView {
  /** null: all. */
  readonly toolsets: ReadonlySet<Toolset> | null;
  readonly readOnly: boolean;
}

export const wholeView: McpView = { toolsets: null, readOnly: false };

export function hasToolset({ toolsets: kept }: McpView, toolset: Toolset): boolean {
  return toolset === 'core' || kept === null || kept.has(toolset);
}

const known: ReadonlySet<string> = new Set(toolsets);

function refused(name: string, message: string): AppError {
  const errors = [{ pointer: `/${name}`, code: 'invalid_value', message }];
  return new AppError('request.invalid', `The address narrows by ?${name}= to what is not there: ${message}.`, {
    errors,
  });
}

function toolsetsIn(given: readonly string[]): ReadonlySet<Toolset> | null {
  if (given.length === 0) return null;
  const names = given.flatMap((value) => value.split(',').map((name) => name.trim()));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw refused('toolsets', `name one or more of ${toolsets.join(', ')}`);
  return new Set(names as Toolset[]);
}

function readOnlyIn(given: readonly string[]): boolean {
  if (given.every((value) => value === 'false')) return false;
  if (given.every((value) => value === 'true')) return true;
  throw refused('read_only', 'true or false');
}

/** What the query of an address narrows a connection to. Other parameters mean nothing here. Error: `request.invalid`. */
export function viewIn(query: URLSearchParams): McpView {
  const view = { toolsets: toolsetsIn(query.getAll('toolsets')), readOnly: readOnlyIn(query.getAll('read_only')) };
  return view.toolsets === null && !view.readOnly ? wholeView : view;
}
