import { keyMissing } from '#tools/keys/issue-key.ts';
import { scopesOf, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';

/** A key of a project that the caller reaches. Errors: `key.not_found`, also for one of another project or organization. */
export async function requireKey({ deps, principal }: ToolContext<'apiKeys'>, keyId: string): Promise<ApiKeyRecord> {
  const key = await deps.apiKeys.find(principal.organizationId, keyId);
  if (key === null || !principal.projectIds.includes(key.projectId)) throw keyMissing();
  return key;
}

/** Nobody gets from a new key what they lack: neither scopes, nor time beyond the end of their own key. Errors: `auth.forbidden`. */
export async function requireReach(
  ctx: ToolContext<'apiKeys' | 'oauth'>,
  wanted: Pick<ApiKeyRecord, 'kind' | 'scopes' | 'expiresAt'>,
): Promise<void> {
  const lacking = [...scopesOf(wanted)].filter((scope) => !ctx.principal.scopes.has(scope));
  if (lacking.length > 0)
    throw new AppError('auth.forbidden', `Nobody can give what they lack: ${lacking.join(', ')}.`, {
      errors: [{ pointer: '/scopes', code: 'forbidden', message: `you lack ${lacking.join(', ')}` }],
    });
  const { end } = await boundsOf(ctx);
  if (end !== null && (wanted.expiresAt === null || wanted.expiresAt > end))
    throw new AppError(
      'auth.forbidden',
      `Nobody gives a key that outlives what they have: yours ends at ${end.toISOString()}.`,
      {
        errors: [{ pointer: '/expiresInDays', code: 'forbidden', message: 'has to be over before your own access is' }],
      },
    );
}

/** What a new key of the caller is bound by. */
interface Bounds {
  /** When the key or the grant that calls stops working by itself; null: never, or it is neither. */
  readonly end: Date | null;
  /** Through how many keys ever: the grant that all of it came by; null: none of ours. */
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
