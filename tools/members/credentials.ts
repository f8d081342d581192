import { revokeKey } from '#tools/keys/issue-key.ts';
import { keyIsLive, onlyReads, shownScopes, type ApiKeyRecord } from '#src/domain/access/api-key.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import type { Kept, Removal } from '#src/domain/access/member.ts';
import type { OAuthGrant } from '#src/domain/access/oauth/records.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import { isLive } from '#tools/apps/present.ts';
import { auditOf, record } from '#tools/audit/record.ts';
import type { ToolContext } from '#tools/define.ts';

type Call = ToolContext<'apiKeys' | 'audit' | 'oauth' | 'webhooks'>;
type Ctx = Pick<Call, 'deps' | 'ip' | 'deed'> & {
  readonly principal: Pick<Call['principal'], 'organizationId' | 'actorId' | 'grant'>;
};

type Keeps = Pick<Removal, 'kept' | 'keptClients' | 'keptWebhooks'>;

/** Access that a person left in the organization, and the end of each. */
export interface Credentials {
  readonly keys: readonly { readonly key: ApiKeyRecord; readonly isRevoked: boolean }[];
  /** Programs that act for the person. */
  readonly apps: readonly OAuthGrant[];
  /** Grants of the programs of the organization that the person set up. */
  readonly clients: readonly { readonly grant: OAuthGrant; readonly isRemoved: boolean }[];
  /** Enabled webhooks whose address the person set. */
  readonly webhooks: readonly { readonly webhook: WebhookRecord; readonly isDisabled: boolean }[];
}

/** Keys of a person and of these programs, keys that these made, and so on: a person who knows the first knows them all. */
async function keysMadeBy({ deps, principal }: Ctx, first: readonly string[]): Promise<ApiKeyRecord[]> {
  const found = new Map<string, ApiKeyRecord>();
  let makers = first;
  while (makers.length > 0) {
    const made = await deps.apiKeys.listMadeBy(principal.organizationId, makers);
    const fresh = made.filter(({ _id }) => !found.has(_id));
    for (const key of fresh) found.set(key._id, key);
    makers = fresh.map(({ _id }) => _id);
  }
  return [...found.values()];
}

const isIn = (kept: Kept, id: string): boolean => (typeof kept === 'boolean' ? kept : kept.includes(id));

/** `keeps` names what goes on; what an earlier version did not know of is kept. */
export async function credentialsOf(
  ctx: Ctx,
  userId: string,
  { kept, keptClients = true, keptWebhooks = true }: Keeps,
): Promise<Credentials> {
  const { deps, principal } = ctx;
  const { organizationId } = principal;
  const [grants, enabled] = await Promise.all([
    deps.oauth.listGrants(organizationId, userId),
    deps.webhooks.enabledOf(organizationId),
  ]);
  const now = new Date();
  const live = grants.filter((grant) => isLive(grant, now));
  const apps = live.filter(({ kind }) => kind === 'person');
  const clients = live
    .filter(({ kind }) => kind === 'machine')
    .map((grant) => ({ grant, isRemoved: !isIn(keptClients, grant.clientId) }));
  const removed = clients.filter(({ isRemoved }) => isRemoved).map(({ grant }) => grant);
  // A key of a program ends with the program.
  const ended = new Set<string | null | undefined>([...apps, ...removed].map(({ _id }) => _id));
  const makers = [userId, ...removed.map(({ clientId }) => clientId)];
  const keys = await keysMadeBy(ctx, makers);
  const theirs = new Set([...makers, ...keys.map(({ _id }) => _id)]);
  return {
    keys: keys
      .filter((key) => keyIsLive(key, now))
      .map((key) => ({ key, isRevoked: ended.has(key.grantId) || (!onlyReads(key) && !isIn(kept, key._id)) })),
    apps,
    clients,
    webhooks: enabled
      .filter(({ addressBy, createdBy }) => theirs.has(addressBy ?? createdBy))
      .map((webhook) => ({ webhook, isDisabled: !isIn(keptWebhooks, webhook._id) })),
  };
}

async function endClient(ctx: Ctx, { _id, clientId, clientName: name }: OAuthGrant): Promise<void> {
  const { oauth } = ctx.deps;
  const { organizationId } = ctx.principal;
  // Order matters: a removal that goes on after a crash finds the client by its grant.
  await oauth.removeClient(organizationId, clientId);
  if (await oauth.revokeGrant(organizationId, _id, new Date())) await record(ctx, 'client.remove', clientId, { name });
}

async function endWebhook(ctx: Ctx, webhook: WebhookRecord): Promise<void> {
  const { _id, projectId } = webhook;
  const detail = { projectId, reason: 'member_removed' };
  if (await ctx.deps.webhooks.disable(webhook, 'request')) await record(ctx, 'webhook.disable', _id, detail);
}

/** Ends the credentials that are to end. One that ended in the meantime is left as it is. */
export async function endCredentials(ctx: Ctx, { keys, apps, clients, webhooks }: Credentials): Promise<void> {
  const { deps, principal } = ctx;
  const { organizationId, actorId } = principal;
  const audit = auditOf(ctx);
  for (const { _id, clientId, clientName, userId } of apps)
    if (await deps.oauth.revokeGrant(organizationId, _id, new Date()))
      await record(ctx, 'grant.revoke', _id, { clientId, clientName, userId });
  // Order matters: a removal that goes on after a crash finds webhooks of a client's keys by the client.
  for (const { webhook, isDisabled } of webhooks) if (isDisabled) await endWebhook(ctx, webhook);
  for (const { grant, isRemoved } of clients) if (isRemoved) await endClient(ctx, grant);
  for (const { key, isRevoked } of keys)
    if (isRevoked)
      await revokeKey({ apiKeys: deps.apiKeys, audit }, organizationId, key._id, actorId).catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === 'key.spent')) throw error;
      });
}

export function presentCredentials({ keys, apps, clients, webhooks }: Credentials) {
  return {
    keys: keys.map(({ key, isRevoked }) => {
      const { _id: id, kind, name, prefix, projectId } = key;
      return { id, kind, name, prefix, projectId, scopes: shownScopes(key), revoked: isRevoked };
    }),
    apps: apps.map(({ _id: id, clientId, clientName }) => ({
      id,
      name: plainName({ _id: clientId, name: clientName }),
    })),
    clients: clients.map(({ grant: { clientId, clientName: name }, isRemoved }) => ({
      clientId,
      name,
      removed: isRemoved,
    })),
    webhooks: webhooks.map(({ webhook: { _id: id, url, projectId }, isDisabled }) => ({
      id,
      url,
      projectId,
      disabled: isDisabled,
    })),
  };
}
