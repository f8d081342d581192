import { z } from 'zod';
import { AnyId, Timestamp, isWhole } from '#src/contracts/fields.ts';

const SecretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'use A-Z, 0-9 and _, starting with a letter, at most 64 characters');

/** Shape only; the store reads the line. */
const SecretHosts = z
  .array(z.string().min(1).max(280))
  .min(1)
  .max(20)
  .describe(
    'Hosts that the secret may be sent to: api.example.org (https, port 443), api.example.org:8443, *.example.org for exactly one label more, or http://127.0.0.1:9000 for plain http',
  );

/** A project secret without its value, which no reply contains. Source: docs/decisions/0031. */
const Secret = z
  .object({
    name: z.string(),
    projectId: z.string(),
    createdBy: z.string(),
    createdAt: Timestamp,
    hosts: z
      .array(z.string())
      .describe('Empty: a secret of an older version, which goes nowhere until it is set again'),
  })
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
  hosts: SecretHosts,
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
});
export const SecretPath = z.object({ name: SecretName });
const SecretPlace = z.object({ name: z.string(), projectId: z.string() });
export const StoredSecret = SecretPlace.extend({ hosts: z.array(z.string()) });
export const DeletedSecret = SecretPlace.extend({ deleted: z.literal(true) });
