import { auditOf } from '#tools/audit/record.ts';
import type { ToolContext } from '#tools/define.ts';

/**
 * Replaces the hosts of a secret, which keeps its value. For the command line only: over the API an admin could bind it to a host of
 * their own, and read it there. Errors: `request.invalid`, `secret.not_found`. Source: docs/decisions/0089.
 */
export async function bindSecret(
  ctx: ToolContext<'audit' | 'secrets'>,
  { projectId, name, hosts }: { readonly projectId: string; readonly name: string; readonly hosts: readonly string[] },
): Promise<void> {
  const { organizationId, actorId: actor } = ctx.principal;
  const entry = { organizationId, actor, action: 'secret.bind', target: `${projectId}/${name}`, detail: { hosts } };
  await auditOf(ctx).during(entry, async (deed) => {
    await ctx.deps.secrets.bind(organizationId, projectId, name, hosts);
    await deed.done();
  });
}
