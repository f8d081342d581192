import {
  areNarrow,
  hashKey,
  keyIsLive,
  newKeySecret,
  shownScopes,
  type ApiKeyRecord,
  type KeyKind,
} from '#src/domain/access/api-key.ts';
import { limits } from '#src/contracts/fields.ts';
import { carriedScopes, type Scope } from '#src/contracts/scopes.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import type { ApiKeyStore } from '#src/stores/api-keys.ts';
import type { AuditEntry, AuditLog } from '#src/stores/audit-log.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

export interface KeyParts {
  readonly apiKeys: ApiKeyStore;
  readonly workflows: WorkflowStore;
  readonly audit: Pick<AuditLog, 'during'>;
}

export interface NewKey {
  readonly kind: KeyKind;
  readonly name: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly deviceId?: string;
  /** Workflow of a workflow key: required for that kind, not allowed for service keys. */
  readonly workflowId?: string;
  /** All scopes of the key; absent: those of its kind. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Requests a second, instead of the default limit. */
  readonly ratePerSecond?: number | undefined;
  /** Workflow keys only. */
  readonly callbackUrl?: string | undefined;
  /** Languages of uploads that name none. */
  readonly languages?: readonly string[] | undefined;
  readonly createdBy: string;
  /** Grant of the program that creates the key; absent for other creators. */
  readonly grantId?: string;
  readonly expiresAt?: Date;
}

/** The new key with its secret, which is not stored and cannot be shown again. */
export interface IssuedKey {
  readonly record: ApiKeyRecord;
  readonly secret: string;
}

const hourMs = 3_600_000;

const invalid = (pointer: string, message: string): AppError =>
  new AppError('request.invalid', message, { errors: [{ pointer, code: 'invalid', message }] });

/** Same error for an unknown and a foreign key: a different one would reveal which ids exist. */
export const keyMissing = (): AppError =>
  new AppError('key.not_found', 'There is no API key with this id. Take an id from the list of keys.', {
    errors: [{ pointer: '/keyId', code: 'not_found', message: 'take an id from the list of keys' }],
  });

async function requireBinding(parts: KeyParts, wanted: NewKey): Promise<string | null> {
  if (wanted.kind === 'service') {
    if (wanted.workflowId === undefined) return null;
    throw invalid('/workflowId', 'A service key is not bound to a workflow. Leave workflowId out.');
  }
  if (wanted.workflowId === undefined)
    throw invalid('/workflowId', 'A workflow key needs a workflow. Pass its id as workflowId.');
  const tenant = { organizationId: wanted.organizationId, projectIds: [wanted.projectId] };
  const workflow = await parts.workflows.find(tenant, wanted.workflowId);
  if (workflow === null)
    throw new AppError(
      'workflow.not_found',
      'The project has no workflow with this id. Take an id from the list of workflows.',
      {
        errors: [{ pointer: '/workflowId', code: 'not_found', message: 'take an id from the list of workflows' }],
      },
    );
  return workflow._id;
}

/** Error: `request.invalid`, with the names of scopes that the kind of key cannot carry. */
function requireCarried({ kind, scopes }: NewKey): void {
  if (scopes === undefined) return;
  const carried = new Set<Scope>(carriedScopes[kind]);
  const others = scopes.filter((scope) => !carried.has(scope));
  if (others.length === 0 && scopes.length > 0) return;
  const wrong = others.length === 0 ? 'No scope is given.' : `A ${kind} key cannot have ${others.join(', ')}.`;
  const advice =
    kind === 'workflow' ? 'It only uploads. Leave scopes out, or create a service key.' : 'Choose from its scopes.';
  throw invalid('/scopes', `${wrong} ${advice}`);
}

/** Issues a key. Errors: `request.invalid`, `workflow.not_found`. Source: docs/decisions/0017. */
export async function issueKey(parts: KeyParts, wanted: NewKey): Promise<IssuedKey> {
  const agentGraphId = await requireBinding(parts, wanted);
  requireCarried(wanted);
  if (wanted.kind === 'service' && wanted.callbackUrl !== undefined)
    throw invalid(
      '/callbackUrl',
      'Only uploads of a workflow key start runs. Leave callbackUrl out, and pass it with each execution.',
    );
  const isNarrow = wanted.scopes !== undefined && areNarrow(wanted.kind, wanted.scopes);
  const secret = newKeySecret(wanted.kind, isNarrow);
  const createdAt = new Date();
  const record: ApiKeyRecord = {
    _id: newId('key', createdAt),
    hash: hashKey(secret),
    prefix: secret.slice(0, wanted.kind === 'workflow' ? 11 : 12),
    kind: wanted.kind,
    name: wanted.name,
    organizationId: wanted.organizationId,
    projectId: wanted.projectId,
    deviceId: wanted.deviceId ?? null,
    agentGraphId,
    scopes: wanted.scopes ?? null,
    ...(isNarrow && { scopesReplace: true }),
    ratePerSecond: wanted.ratePerSecond ?? null,
    ...(wanted.callbackUrl !== undefined && { callbackUrl: wanted.callbackUrl }),
    ...(wanted.languages !== undefined && { languages: wanted.languages }),
    createdBy: wanted.createdBy,
    ...(wanted.grantId !== undefined && { grantId: wanted.grantId }),
    createdAt,
    expiresAt: wanted.expiresAt ?? null,
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
    graceUntil: null,
  };
  await parts.audit.during(entryOf(wanted.createdBy, 'key.issue', record), async (deed) => {
    await parts.apiKeys.insert(record);
    await deed.record(entryOf(wanted.createdBy, 'key.issue', record));
  });
  return { record, secret };
}

/** Revokes a key at once. Errors: `key.not_found`, `key.spent` when it was revoked before. */
export async function revokeKey(
  parts: Pick<KeyParts, 'apiKeys' | 'audit'>,
  organizationId: string,
  id: string,
  actor: string,
): Promise<void> {
  const key = await requireKey(parts, organizationId, id);
  const entry = entryOf(actor, 'key.revoke', key);
  await parts.audit.during(entry, async (deed) => {
    if (!(await parts.apiKeys.revoke(organizationId, id, new Date())))
      throw new AppError('key.spent', 'This key is revoked already. There is nothing left to do.');
    await deed.record(entry);
  });
}

/** Replaces a key by a new one; the old key works for `overlapHours` more. Errors: `key.not_found`, `key.spent`. */
export async function rotateKey(
  parts: KeyParts,
  organizationId: string,
  id: string,
  { actor, overlapHours = limits.rotationOverlapHours }: { readonly actor: string; readonly overlapHours?: number },
): Promise<IssuedKey> {
  const old = await requireKey(parts, organizationId, id);
  const spent = new AppError(
    'key.spent',
    'This key is revoked, expired or rotated already. Rotate the key that is in use.',
  );
  // An expired key cannot be rotated: its successor takes over its end and would be expired, too.
  if (old.replacedBy !== null || !keyIsLive(old, new Date())) throw spent;
  const issued = await issueKey(parts, {
    kind: old.kind,
    name: old.name,
    organizationId,
    projectId: old.projectId,
    createdBy: actor,
    ...(old.deviceId === null ? {} : { deviceId: old.deviceId }),
    ...(old.agentGraphId === null ? {} : { workflowId: old.agentGraphId }),
    ...(old.scopes ? { scopes: shownScopes(old) } : {}),
    ratePerSecond: old.ratePerSecond ?? undefined,
    callbackUrl: old.callbackUrl,
    languages: old.languages,
    ...(old.expiresAt === null ? {} : { expiresAt: old.expiresAt }),
  });
  const { _id } = issued.record;
  const entry = entryOf(actor, 'key.rotate', old);
  await parts.audit.during(entry, async (deed) => {
    if (!(await parts.apiKeys.replace(organizationId, id, _id, new Date(Date.now() + overlapHours * hourMs)))) {
      // A concurrent call rotated or revoked the old key, so the successor made here is revoked.
      await revokeKey(parts, organizationId, _id, actor);
      throw spent;
    }
    await deed.record(entry);
  });
  return issued;
}

async function requireKey(
  { apiKeys }: Pick<KeyParts, 'apiKeys'>,
  organizationId: string,
  id: string,
): Promise<ApiKeyRecord> {
  const key = await apiKeys.find(organizationId, id);
  if (key === null) throw keyMissing();
  return key;
}

function entryOf(actor: string, action: string, key: ApiKeyRecord): AuditEntry {
  const { organizationId, _id: target, kind, name, prefix } = key;
  return { organizationId, actor, action, target, detail: { kind, name, prefix, scopes: shownScopes(key) } };
}
