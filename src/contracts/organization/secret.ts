import { z } from 'zod';
import { AnyId, Timestamp, isWhole } from '#src/contracts/fields.ts';

const SecretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'use A-Z, 0-9 and _, starting with a letter, at most 64 characters');

/** A project secret without its value, which no reply contains. Source: docs/decisions/0031. */
const Secret = z
  .object({ name: z.string(), projectId: z.string(), createdBy: z.string(), createdAt: Timestamp })
  .meta({ id: 'Secret' });
export const SecretListQuery = z.strictObject({
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
});
export const SecretList = z.object({ secrets: z.array(Secret) });
export const SecretValue = z.strictObject({
  name: SecretName,
  value: z
    .string()
    .min(1)
    .max(8_192)
    .refine(isWhole, 'the value has a lone surrogate: remove it')
    .describe('Write-only: no reply contains it'),
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
});
export const SecretPath = z.object({ name: SecretName });
export const StoredSecret = z.object({ name: z.string(), projectId: z.string() });
export const DeletedSecret = StoredSecret.extend({ deleted: z.literal(true) });
