import { own } from '#src/contracts/own.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AnyTool, ToolContext } from '#tools/define.ts';
import { auditOf } from '#tools/audit/record.ts';

const names = /(^id|Ids?|^name|^email)$/;

/** Ids and names in the input, for a deed whose end nobody recorded. */
function targetOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const found = Object.entries(input).flatMap(([name, value]): unknown[] =>
    names.test(name) ? (Array.isArray(value) ? value : [value]) : [],
  );
  return found
    .filter((value) => typeof value === 'string')
    .join(' ')
    .slice(0, 200);
}

/** True for calls that are announced to the audit log before they run: every tool that changes something, unless it says otherwise. */
export function isAudited({ effect, audit }: Pick<AnyTool, 'effect' | 'audit'>): boolean {
  return effect !== 'read' && audit !== false;
}

const countedActions: Readonly<Record<string, string>> = {
  'auth.forbidden': 'access.refused',
  'quota.exceeded': 'limit.reached',
  'request.rate_limited': 'limit.reached',
};

/** Counts an error that an administrator wants to know of: missing rights, and limits that were reached. */
export function countDenied(
  { deps, principal, ip = null }: Pick<ToolContext<'audit'>, 'deps' | 'principal' | 'ip'>,
  target: string,
  error: unknown,
): void {
  const action = error instanceof AppError ? own(countedActions, error.code) : undefined;
  if (action === undefined) return;
  const { organizationId, actorId: actor } = principal;
  deps.audit.count({ organizationId, actor, action, target, detail: {}, ip });
}

/** Runs a tool between its announcement and its record. Source: docs/decisions/0090. */
export function announced<T, Context extends ToolContext<'audit'>>(
  { name }: Pick<AnyTool, 'name'>,
  { ctx, input }: { readonly ctx: Context; readonly input: unknown },
  run: (ctx: Context) => Promise<T>,
): Promise<T> {
  const { organizationId, actorId: actor } = ctx.principal;
  const detail = { surface: ctx.surface, requestId: ctx.requestId };
  const entry = { organizationId, actor, action: `call.${name}`, target: targetOf(input), detail };
  if (ctx.deed !== undefined) return run(ctx);
  return auditOf(ctx).during(entry, (deed) => run({ ...ctx, deed }));
}
