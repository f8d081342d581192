import type { UnfinishedRemoval } from '#src/domain/access/member.ts';
import { auditOf } from '#tools/audit/record.ts';
import type { ToolContext } from '#tools/define.ts';
import { credentialsOf, endCredentials, type Credentials } from '#tools/members/credentials.ts';

type Deps = ToolContext<'apiKeys' | 'audit' | 'members' | 'oauth' | 'webhooks'>['deps'];
type Ctx = Parameters<typeof endCredentials>[0] & { readonly deps: Pick<Deps, 'members'> };

/** A removal of this age belongs to a process that died. */
const staleMs = 60_000;

/** Ends the credentials of a removed member, then removes the mark of the removal. */
export async function finishRemoval(
  ctx: Ctx,
  { organizationId, memberId }: Pick<UnfinishedRemoval, 'organizationId' | 'memberId'>,
  credentials: Credentials,
): Promise<void> {
  await endCredentials(ctx, credentials);
  await ctx.deps.members.finishRemoval(organizationId, memberId);
}

/** A person who joined again has credentials that this removal is not about. */
async function credentialsBefore(
  ctx: Ctx,
  { organizationId, userId, at, ...keeps }: UnfinishedRemoval,
): Promise<Credentials> {
  const found = await credentialsOf(ctx, userId, keeps);
  if ((await ctx.deps.members.membership(organizationId, userId)) === null) return found;
  return {
    ...found,
    keys: found.keys.filter(({ key }) => key.createdAt <= at),
    apps: found.apps.filter(({ createdAt }) => createdAt <= at),
    clients: found.clients.filter(({ grant }) => grant.createdAt <= at),
    webhooks: found.webhooks.filter(({ webhook }) => webhook.createdAt <= at),
  };
}

/** Finishes removals of members that a process began and did not end, in the name of the caller who began them. Returns their number. */
export async function finishRemovals(deps: Deps, now: Date): Promise<number> {
  const found = await deps.members.unfinishedRemovals(new Date(now.getTime() - staleMs));
  for (const removal of found) {
    const { organizationId, memberId, userId, role, by: actorId } = removal;
    const caller = { deps, principal: { organizationId, actorId } };
    const detail = { userId, role, resumed: true };
    const entry = { organizationId, actor: actorId, action: 'member.remove', target: memberId, detail };
    await auditOf(caller).during(entry, async (deed) => {
      await deed.record(entry);
      await finishRemoval({ ...caller, deed }, removal, await credentialsBefore({ ...caller, deed }, removal));
    });
  }
  return found.length;
}
