import { z } from 'zod';
import { AnyId, Languages, Name, QueryInteger, Timestamp, isPlain, limits, plainOnly } from '#src/contracts/fields.ts';
import { keyScopes } from '#src/contracts/scopes.ts';

export const keyStates = ['live', 'rotated', 'revoked', 'expired'] as const;

/** An API key without its secret. Source: `resource.key.fields`, docs/decisions/0017. */
export const ApiKey = z
  .object({
    id: z.string(),
    kind: z.enum(['workflow', 'service']),
    name: z.string(),
    prefix: z.string().describe('First characters of the key'),
    state: z.enum(keyStates).describe('rotated: replaced by another key, and valid until graceUntil'),
    projectId: z.string(),
    deviceId: z.string().nullable(),
    agentGraphId: z.string().nullable().describe('Workflow keys: the workflow that uploads start'),
    scopes: z.array(z.enum(keyScopes)).nullable().describe('Scopes in addition to those of its kind'),
    ratePerSecond: z.int().nullable().describe('Requests per second; null: the limit of all keys'),
    callbackUrl: z.string().nullable().describe('Workflow keys: URL that is told when the run of an upload has ended'),
    languages: z.array(z.string()).nullable().describe('Languages of uploads that name none; null: none set'),
    createdBy: z.string(),
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable(),
    lastUsedAt: Timestamp.nullable().describe('Precise to the minute'),
    revokedAt: Timestamp.nullable(),
    replacedBy: z.string().nullable(),
    graceUntil: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export const ApiKeyList = z.object({ keys: z.array(ApiKey) });
export const ApiKeyListQuery = z.strictObject({ projectId: AnyId.optional() });
export const ApiKeyPath = z.strictObject({ keyId: AnyId });
export const RotationQuery = z.strictObject({
  overlapHours: QueryInteger(0, limits.rotationOverlapHoursMax)
    .default(limits.rotationOverlapHours)
    .describe('Hours that the old secret works beside the new one'),
});

export const NewApiKey = z.strictObject({
  kind: z.enum(['workflow', 'service']),
  name: Name,
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
  workflowId: AnyId.optional().describe('Workflow keys: the workflow that uploads start'),
  deviceId: z.string().min(1).max(200).refine(isPlain, plainOnly).optional(),
  scopes: z
    .array(z.enum(keyScopes))
    .min(1)
    .max(keyScopes.length)
    .optional()
    .describe('Service keys: scopes in addition to those of the kind, chosen from your own'),
  ratePerSecond: z
    .int()
    .min(1)
    .max(limits.ratePerSecond)
    .optional()
    .describe('Requests per second for this key, instead of the limit of all keys; the operator can set more'),
  callbackUrl: z
    .string()
    .min(1)
    .max(2_000)
    .refine(isPlain, plainOnly)
    .optional()
    .describe('Workflow keys: URL that receives a signed POST when the run of an upload has ended'),
  languages: Languages.optional().describe('Languages of the text of uploads that name none, the main one first'),
  expiresInDays: z.int().min(1).max(3_650).optional(),
});
export const IssuedApiKey = z.object({
  key: ApiKey,
  secret: z.string().describe('Shown once: only its hash is stored'),
});
