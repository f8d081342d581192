import { z } from 'zod';
import { AnyId, Timestamp } from '#src/contracts/fields.ts';

export const SecretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'expected capitals, digits and _, beginning with a letter');

/** A project secret, never its value. Source: identity.md "Project secrets". */
export const Secret = z
  .object({ name: z.string(), projectId: z.string(), createdBy: z.string(), createdAt: Timestamp })
  .meta({ id: 'Secret' });
export const SecretListQuery = z.strictObject({
  projectId: AnyId.optional().describe('Needed where there are several'),
});
export const SecretList = z.object({ secrets: z.array(Secret) });
export const SecretValue = z.strictObject({
  name: SecretName,
  value: z.string().min(1).max(8_192).describe('Written only: no answer shows it'),
  projectId: AnyId.optional().describe('Needed where there are several'),
});
export const SecretPath = z.object({ name: SecretName });
export const StoredSecret = z.object({ name: z.string(), projectId: z.string() });
export const DeletedSecret = StoredSecret.extend({ deleted: z.literal(true) });
