import { z } from 'zod';
import { Cursor, PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';

/** One action that matters for security: actor, action, target, time and IP address. Source: docs/decisions/0035. */
export const AuditRecord = z
  .object({
    id: z.string(),
    at: Timestamp,
    actor: z.string().describe('User id, key id, or cli'),
    action: z
      .string()
      .describe(
        'For example key.issue, member.role, document.delete; call.<tool> for a call that ended before it was recorded',
      ),
    target: z.string(),
    detail: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    outcome: z
      .enum(['done', 'unfinished'])
      .describe('unfinished: it is going on, or a process ended before it told how it went'),
    count: z.int().min(1).describe('Occurrences within one minute, of what is counted: at least this many'),
  })
  .meta({ id: 'AuditRecord' });
export const AuditQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
  action: z
    .string()
    .regex(/^[a-z]+(\.[a-z_]+)?$/, 'expected an action such as key.issue, or an area such as key')
    .optional(),
  from: Timestamp.optional().describe('Earliest time of a record'),
  to: Timestamp.optional().describe('Latest time of a record'),
});
export const AuditExportQuery = AuditQuery.omit({ limit: true, cursor: true });
export const AuditList = z.object({ records: z.array(AuditRecord), nextCursor: z.string().nullable() });
export type AuditPage = z.output<typeof AuditList>;
