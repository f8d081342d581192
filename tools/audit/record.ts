import type { ToolContext } from '#tools/define.ts';
import type { AuditEntry, AuditLog, Deed } from '#src/stores/audit-log.ts';

type Caller = Pick<ToolContext<'audit'>, 'deps' | 'ip' | 'deed'> & {
  readonly principal: Pick<ToolContext['principal'], 'organizationId' | 'actorId' | 'grant'>;
};

/**
 * The way to audited deeds of this caller: adds their address to every record, and the program where a program acted for a person. Inside
 * a call that is announced already, deeds belong to its announcement.
 */
export function auditOf({ deps, principal, ip = null, deed: announced }: Caller): Pick<AuditLog, 'during'> {
  const { grant } = principal;
  const by = grant ? { by: { grantId: grant.id, clientId: grant.clientId } } : {};
  const complete = (entry: AuditEntry): AuditEntry => ({ ...entry, detail: { ...entry.detail, ...by }, ip });
  const completing = (deed: Deed): Deed => ({ ...deed, record: (entry) => deed.record(complete(entry)) });
  return {
    during: (entries, work) =>
      announced === undefined
        ? deps.audit.during([entries].flat().map(complete), (deed) => work(completing(deed)))
        : work(completing(announced)),
  };
}

/** Records an action of the caller, inside a call that was announced. `detail` must hold no secret and no text of a document. */
export async function record(
  caller: Caller,
  action: string,
  target: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (caller.deed === undefined) throw new Error(`${action} was not announced to the audit log: call it by callTool`);
  const { organizationId, actorId: actor } = caller.principal;
  const entry = { organizationId, actor, action, target, detail };
  await auditOf(caller).during(entry, (deed) => deed.record(entry));
}
