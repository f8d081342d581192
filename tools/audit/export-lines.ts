import { limits } from '#src/contracts/fields.ts';
import type { AuditPage } from '#src/contracts/organization/audit.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { listAuditRecords } from '#tools/audit/list-audit-records.ts';

type Filter = Readonly<Record<string, unknown>>;

/**
 * Audit log as JSON Lines, newest first, a page at a time. Reads through the tool, so that the rights of the caller are checked for each
 * page. After `most` records a last line names the time to go on from. Source: docs/decisions/0090.
 */
export async function* auditLines(
  ctx: ToolContext<'audit' | 'cursorSecret'>,
  filter: Filter,
  most: number,
): AsyncGenerator<string> {
  let cursor: string | null = null;
  let sent = 0;
  do {
    const limit = Math.min(limits.pageMax, most - sent);
    const asked: Filter = { ...filter, limit, ...(cursor !== null && { cursor }) };
    const { records, nextCursor }: AuditPage = await callTool(listAuditRecords, ctx, asked);
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
    sent += records.length;
    cursor = nextCursor;
    const last = records.at(-1);
    if (sent >= most && cursor !== null && last !== undefined)
      yield `${JSON.stringify({ truncated: true, to: last.at })}\n`;
  } while (cursor !== null && sent < most);
}
