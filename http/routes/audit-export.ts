import type { Request, Router } from 'express';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { auditLines } from '#tools/audit/export-lines.ts';
import { validated, invalidInput } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import type { FieldError } from '#src/domain/app-error.ts';
import { admission, cookieGuards, type Facade } from '#http/bind.ts';
import { requestIdOf } from '#http/base-app.ts';
import { writeParts } from '#http/exports/write-parts.ts';
import { ConcurrencyLimit } from '#http/guard/concurrency-limit.ts';
import { limits } from '#src/contracts/fields.ts';

const row = dashboardOrganization.auditExport;
const exportsPerSession = 1;

type Filter = Readonly<Record<string, unknown>>;

function filterIn(request: Request): Filter {
  const errors: FieldError[] = [];
  const found = row.query === undefined ? {} : validated(row.query, request.query, errors);
  if (errors.length > 0) throw invalidInput(errors);
  const { organizationId: _, ...filter } = (found ?? {}) as Filter;
  return filter;
}

/** Mounts the export of the audit log as JSON Lines, newest first. Source: docs/decisions/0090. */
export function mountAuditExport(router: Router, facade: Facade, most: number = limits.auditExportMax): void {
  const callers = new WeakMap<Request, Principal>();
  const limit = new ConcurrencyLimit(exportsPerSession, 'session');
  const guards = [...cookieGuards(facade, row), admission(facade, row, { expensive: true }, callers)];
  router.get(row.path, ...guards, async (request, response) => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${row.id}: no caller was authenticated`);
    const gone = new AbortController();
    const ctx: ToolContext = {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest',
      ip: request.ip ?? null,
      signal: gone.signal,
      deps: facade.deps,
      outcome: {},
    };
    const lines = auditLines(ctx, filterIn(request), most);
    // Errors of the first page are answered as usual.
    const first = await lines.next();
    response.once('close', limit.take(principal.session?.id ?? principal.actorId));
    response.once('close', () => gone.abort(new Error('the client went away')));
    response.status(row.status);
    response.setHeader('content-type', 'application/jsonl; charset=utf-8');
    response.setHeader('content-disposition', 'attachment; filename="audit.jsonl"');
    response.write(first.done === true ? '' : first.value);
    try {
      if (await writeParts(response, lines, gone.signal)) response.end();
    } catch (error) {
      // Headers are sent: an aborted connection tells the client that lines are missing.
      response.destroy();
      if (!gone.signal.aborted) facade.deps.logger.warn({ err: error }, 'an export of the audit log ended early');
    }
  });
}
