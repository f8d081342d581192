import { z } from 'zod';
import { AnyId, Languages, Name, QueryInteger, Timestamp, isPlain, limits, plainOnly } from '#src/contracts/fields.ts';
import { keyPresets, keyScopes, kindScopes, scopes } from '#src/contracts/scopes.ts';

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
    scopes: z.array(z.enum(keyScopes)).describe('Everything that the key may do, with the scopes that others imply'),
    addsScopesOfKind: z
      .boolean()
      .describe(
        'true: an earlier version made the key and added the scopes of its kind, so it can do more than it was given. A rotation keeps all of them; a new key has those that you give it alone',
      ),
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

const known = new Set<unknown>(scopes);
/** Names a scope that only people have; other texts may be secrets, and are not repeated. */
const KeyScope = z.enum(keyScopes, {
  error: ({ input }) =>
    known.has(input)
      ? `no key can have ${String(input)}; take some of ${keyScopes.join(', ')}`
      : `not a scope; take some of ${keyScopes.join(', ')}`,
});

export const NewApiKey = z.strictObject({
  kind: z.enum(['workflow', 'service']),
  name: Name,
  projectId: AnyId.optional().describe('Required when the organization has several projects'),
  workflowId: AnyId.optional().describe('Workflow keys: the workflow that uploads start'),
  deviceId: z.string().min(1).max(200).refine(isPlain, plainOnly).optional(),
  scopes: z
    .array(KeyScope)
    .min(1, 'name at least one scope, or leave scopes out for those of the kind')
    .max(keyScopes.length)
    .optional()
    .describe(
      `All that the key may do, chosen from your own scopes. Default: those of its kind, for a service key ${kindScopes.service.join(', ')}. Read only: ${keyPresets['read-only'].join(', ')}. Upload only: ${keyPresets['upload-only'].join(', ')}`,
    ),
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
