import type { AuditLog } from '#src/domain/ports/audit-log.ts';
import type { ToolContext } from '#tools/define.ts';

type Caller = Pick<ToolContext, 'deps' | 'principal' | 'ip'>;

/** The audit log, saying of every record where the call came from. */
export function auditOf({ deps, ip = null }: Pick<Caller, 'deps' | 'ip'>): AuditLog {
  const { audit } = deps;
  return {
    record: (entry) => audit.record({ ...entry, ip }),
    list: audit.list.bind(audit),
  };
}

/** What the caller did; `detail` holds no secret and no text of a document. */
export async function record(
  caller: Caller,
  action: string,
  target: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { organizationId, actorId: actor } = caller.principal;
  await auditOf(caller).record({ organizationId, actor, action, target, detail });
}
