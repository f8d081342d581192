import { z } from 'zod';
import { AnyId, Name, Timestamp, isPlain, limits, plainOnly } from '#src/contracts/fields.ts';
import { keyScopes } from '#src/contracts/scopes.ts';

export const keyStates = ['live', 'rotated', 'revoked', 'expired'] as const;

/** A key without its secret. Source: specification §2 "API key"; identity.md "API keys". */
export const ApiKey = z
  .object({
    id: z.string(),
    kind: z.enum(['workflow', 'service']),
    name: z.string(),
    prefix: z.string().describe('The first characters, to recognize it by'),
    state: z.enum(keyStates).describe('rotated: replaced, and still working until graceUntil'),
    projectId: z.string(),
    deviceId: z.string().nullable(),
    agentGraphId: z.string().nullable().describe('Of a workflow key: the workflow that its uploads run'),
    scopes: z.array(z.enum(keyScopes)).nullable().describe('Beside what its kind has'),
    ratePerSecond: z.int().nullable().describe('Requests a second; null: the limit that all keys have'),
    createdBy: z.string(),
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable(),
    lastUsedAt: Timestamp.nullable().describe('To the minute'),
    revokedAt: Timestamp.nullable(),
    replacedBy: z.string().nullable(),
    graceUntil: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export const ApiKeyList = z.object({ keys: z.array(ApiKey) });
export const ApiKeyListQuery = z.strictObject({ projectId: AnyId.optional() });
export const ApiKeyPath = z.strictObject({ keyId: AnyId });

export const NewApiKey = z.strictObject({
  kind: z.enum(['workflow', 'service']),
  name: Name,
  projectId: AnyId.optional().describe('Needed where there are several'),
  workflowId: AnyId.optional().describe('Of a workflow key: the workflow that its uploads run'),
  deviceId: z.string().min(1).max(200).refine(isPlain, plainOnly).optional(),
  scopes: z
    .array(z.enum(keyScopes))
    .min(1)
    .max(keyScopes.length)
    .optional()
    .describe('Service keys only, beside what the kind has; none that you lack yourself'),
  ratePerSecond: z
    .int()
    .min(1)
    .max(limits.ratePerSecond)
    .optional()
    .describe('Requests a second for this key, in place of the limit that all keys have; the operator can give more'),
  expiresInDays: z.int().min(1).max(3_650).optional(),
});
export const IssuedApiKey = z.object({
  key: ApiKey,
  secret: z.string().describe('Shown this once: only its hash is stored'),
});
