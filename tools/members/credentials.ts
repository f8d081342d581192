import { revokeKey } from '#tools/keys/issue-key.ts';
import { keyIsLive, onlyReads, shownScopes, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isLive } from '#tools/apps/present.ts';
import { auditOf, record } from '#tools/audit/record.ts';
import type { ToolContext } from '#tools/define.ts';

type Call = ToolContext<'apiKeys' | 'audit' | 'oauth'>;
type Ctx = Pick<Call, 'deps' | 'ip' | 'deed'> & {
  readonly principal: Pick<Call['principal'], 'organizationId' | 'actorId' | 'grant'>;
};

/** true: all keys; else ids. */
export type KeptKeys = boolean | readonly string[];

/** Credentials that a person left in the organization, and the end of each. */
export interface Credentials {
  readonly keys: readonly { readonly key: ApiKeyRecord; readonly isRevoked: boolean }[];
  /** Programs that act for the person. */
  readonly apps: readonly OAuthGrant[];
  /** Programs of the organization that the person set up. */
  readonly clients: readonly OAuthGrant[];
}

/** Keys of a person, keys that these made, and so on: a person who knows the first knows them all. */
async function keysMadeBy({ deps, principal }: Ctx, userId: string): Promise<ApiKeyRecord[]> {
  const found = new Map<string, ApiKeyRecord>();
  let makers: readonly string[] = [userId];
  while (makers.length > 0) {
    const made = await deps.apiKeys.listMadeBy(principal.organizationId, makers);
    const fresh = made.filter(({ _id }) => !found.has(_id));
    for (const key of fresh) found.set(key._id, key);
    makers = fresh.map(({ _id }) => _id);
  }
  return [...found.values()];
}

export async function credentialsOf(ctx: Ctx, userId: string, kept: KeptKeys): Promise<Credentials> {
  const { deps, principal } = ctx;
  const [keys, grants] = await Promise.all([
    keysMadeBy(ctx, userId),
    deps.oauth.listGrants(principal.organizationId, userId),
  ]);
  const now = new Date();
  const live = grants.filter((grant) => isLive(grant, now));
  const apps = live.filter(({ kind }) => kind === 'person');
  // A key of a program ends with the program.
  const ended = new Set<string | null | undefined>(apps.map(({ _id }) => _id));
  const isKept = (key: ApiKeyRecord): boolean => (typeof kept === 'boolean' ? kept : kept.includes(key._id));
  return {
    keys: keys
      .filter((key) => keyIsLive(key, now))
      .map((key) => ({ key, isRevoked: ended.has(key.grantId) || (!onlyReads(key) && !isKept(key)) })),
    apps,
    clients: live.filter(({ kind }) => kind === 'machine'),
  };
}

/** Ends the credentials that are to end. One that ended in the meantime is left as it is. */
export async function endCredentials(ctx: Ctx, { keys, apps }: Credentials): Promise<void> {
  const { deps, principal } = ctx;
  const { organizationId, actorId } = principal;
  const audit = auditOf(ctx);
  for (const { _id, clientId, clientName, userId } of apps)
    if (await deps.oauth.revokeGrant(organizationId, _id, new Date()))
      await record(ctx, 'grant.revoke', _id, { clientId, clientName, userId });
  for (const { key, isRevoked } of keys)
    if (isRevoked)
      await revokeKey({ apiKeys: deps.apiKeys, audit }, organizationId, key._id, actorId).catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === 'key.spent')) throw error;
      });
}

export function presentCredentials({ keys, apps, clients }: Credentials) {
  return {
    keys: keys.map(({ key, isRevoked }) => {
      const { _id: id, kind, name, prefix, projectId } = key;
      return { id, kind, name, prefix, projectId, scopes: shownScopes(key), revoked: isRevoked };
    }),
    apps: apps.map(({ _id: id, clientId, clientName }) => ({
      id,
      name: plainName({ _id: clientId, name: clientName }),
    })),
    clients: clients.map(({ clientId, clientName: name }) => ({ clientId, name })),
  };
}
