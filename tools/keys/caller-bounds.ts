import { keyMissing } from '#tools/keys/issue-key.ts';
import { scopesOf, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';

/** Finds a key in the caller's projects. Error: `key.not_found`, also for a key of another project or organization. */
export async function requireKey({ deps, principal }: ToolContext<'apiKeys'>, keyId: string): Promise<ApiKeyRecord> {
  const key = await deps.apiKeys.find(principal.organizationId, keyId);
  if (key === null || !principal.projectIds.includes(key.projectId)) throw keyMissing();
  return key;
}

/** Prevents privilege escalation: a new key has no scope that its creator lacks, and does not outlive it. Error: `auth.forbidden`. */
export async function requireWithinBounds(
  ctx: ToolContext<'apiKeys' | 'oauth'>,
  wanted: Pick<ApiKeyRecord, 'kind' | 'scopes' | 'scopesReplace' | 'expiresAt'>,
): Promise<void> {
  const lacking = [...scopesOf(wanted)].filter((scope) => !ctx.principal.scopes.has(scope));
  const advice = wanted.scopes ? 'Leave them out.' : 'A key without scopes gets those of its kind: pass some of yours.';
  if (lacking.length > 0)
    throw new AppError('auth.forbidden', `You cannot grant scopes that you lack: ${lacking.join(', ')}. ${advice}`, {
      errors: [{ pointer: '/scopes', code: 'forbidden', message: `you lack ${lacking.join(', ')}` }],
    });
  const { end } = await boundsOf(ctx);
  if (end !== null && (wanted.expiresAt === null || wanted.expiresAt > end))
    throw new AppError(
      'auth.forbidden',
      `A key cannot outlive the access that creates it, which ends at ${end.toISOString()}. Choose a smaller expiresInDays.`,
      {
        errors: [{ pointer: '/expiresInDays', code: 'forbidden', message: 'must end before your own access ends' }],
      },
    );
}

/** Limits that a new key takes over from the caller. */
interface Bounds {
  /** End of the calling key or grant; null: it has none, or the caller is a person. */
  readonly end: Date | null;
  /** Grant at the start of the chain of keys, so that revoking it ends them all; null: the chain starts with no grant. */
  readonly grantId: string | null;
}

export async function boundsOf({
  deps,
  principal,
}: Pick<ToolContext<'apiKeys' | 'oauth'>, 'deps' | 'principal'>): Promise<Bounds> {
  const { keyId, grant, organizationId } = principal;
  const [key, granted] = await Promise.all([
    keyId === null ? null : deps.apiKeys.find(organizationId, keyId),
    grant ? deps.oauth.findGrant(grant.id) : null,
  ]);
  const ends = [key?.expiresAt, key?.graceUntil, granted?.expiresAt].filter((one) => one instanceof Date);
  return {
    end: ends.length === 0 ? null : new Date(Math.min(...ends.map(Number))),
    grantId: granted?._id ?? key?.grantId ?? null,
  };
}
