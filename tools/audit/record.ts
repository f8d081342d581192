import type { ToolContext } from '#tools/define.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';

type Caller = Pick<ToolContext<'audit'>, 'deps' | 'principal' | 'ip'>;

/** Adds the caller's address to every record, and the program where a program acted for a person. */
export function auditOf({ deps, principal, ip = null }: Caller): AuditLog {
  const { audit } = deps;
  const { grant } = principal;
  const by = grant ? { by: { grantId: grant.id, clientId: grant.clientId } } : {};
  return {
    record: (entry) => audit.record({ ...entry, detail: { ...entry.detail, ...by }, ip }),
    list: audit.list.bind(audit),
  };
}

/** Records an action of the caller. `detail` must hold no secret and no text of a document. */
export async function record(
  caller: Caller,
  action: string,
  target: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { organizationId, actorId: actor } = caller.principal;
  await auditOf(caller).record({ organizationId, actor, action, target, detail });
}
