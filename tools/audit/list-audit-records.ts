import { AuditList, AuditQuery } from '#src/contracts/organization/audit.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listAuditRecords = defineTool({
  name: 'list_audit_records',
  description:
    'Security-relevant actions in the organization, newest first: actor, action, target and IP address. Narrow with action, such as key.issue, or an area such as key. Pass nextCursor as cursor for the next page.',
  scope: 'audit:read',
  effect: 'read',
  idempotent: true,
  input: AuditQuery,
  output: AuditList,
  async run(
    { deps, principal: { organizationId } }: ToolContext<'audit' | 'cursorSecret'>,
    { limit, cursor, action, from, to },
  ) {
    const filter = {
      ...(action !== undefined && { action }),
      ...(from !== undefined && { from: new Date(from) }),
      ...(to !== undefined && { to: new Date(to) }),
    };
    const binding = JSON.stringify(['audit', organizationId, filter]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    // Reads one more than asked for, to know if there is a next page.
    const found = await deps.audit.list(organizationId, filter, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      records: page.map(({ id, at, actor, action: done, target, detail, ip, outcome, count }) => ({
        id,
        at: at.toISOString(),
        actor,
        action: done,
        target,
        detail,
        ip: ip ?? null,
        outcome,
        count,
      })),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.at, id: last.id })
          : null,
    };
  },
});
