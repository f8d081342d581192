import { projectFor, type Principal } from '#src/domain/access/principal.ts';
import { viewIn, wholeView, type McpView } from '#mcp/view.ts';

interface Narrowed {
  readonly principal: Principal;
  readonly view: McpView;
}

/**
 * What the address of a connection leaves of a caller's rights: `?toolsets=`, `?read_only=true`, `?project=prj_...`. Read anew with
 * every request, since each says its address. Errors: `request.invalid`; `project.not_found` for one that is not the caller's.
 * Source: mcp.md "Endpoint".
 */
export function narrow(principal: Principal, address: string): Narrowed {
  const start = address.indexOf('?');
  if (start === -1) return { principal, view: wholeView };
  const query = new URLSearchParams(address.slice(start + 1));
  const [project, ...more] = query.getAll('project');
  const view = viewIn(query);
  if (project === undefined) return { principal, view };
  // Each of several has to be the caller's.
  const projectIds = new Set([project, ...more].map((id) => projectFor(principal, id)));
  return { principal: { ...principal, projectIds: [...projectIds] }, view };
}
