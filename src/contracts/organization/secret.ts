import { z } from 'zod';
import { AnyId, Timestamp, isWhole } from '#src/contracts/fields.ts';

const SecretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'expected capitals, digits and _, beginning with a letter');

/** A project secret, never its value. Source: identity.md "Project secrets". */
const Secret = z
  .object({ name: z.string(), projectId: z.string(), createdBy: z.string(), createdAt: Timestamp })
  .meta({ id: 'Secret' });
export const SecretListQuery = z.strictObject({
  projectId: AnyId.optional().describe('Needed where there are several'),
});
export const SecretList = z.object({ secrets: z.array(Secret) });
export const SecretValue = z.strictObject({
  name: SecretName,
  value: z
    .string()
    .min(1)
    .max(8_192)
    .refine(isWhole, 'has half of a character, which cannot be kept')
    .describe('Written only: no answer shows it'),
  projectId: AnyId.optional().describe('Needed where there are several'),
});
export const SecretPath = z.object({ name: SecretName });
export const StoredSecret = z.object({ name: z.string(), projectId: z.string() });
export const DeletedSecret = StoredSecret.extend({ deleted: z.literal(true) });
