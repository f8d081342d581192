import { z } from 'zod';
import { Cursor, PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';

/** One action that matters for security: actor, action, target, time and IP address. Source: docs/decisions/0035. */
const AuditRecord = z
  .object({
    id: z.string(),
    at: Timestamp,
    actor: z.string().describe('User id, key id, or cli'),
    action: z.string().describe('For example key.issue, member.role, document.delete'),
    target: z.string(),
    detail: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
  })
  .meta({ id: 'AuditRecord' });
export const AuditQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault),
  cursor: Cursor.optional(),
  action: z
    .string()
    .regex(/^[a-z]+(\.[a-z_]+)?$/, 'expected an action such as key.issue, or an area such as key')
    .optional(),
});
export const AuditList = z.object({ records: z.array(AuditRecord), nextCursor: z.string().nullable() });
