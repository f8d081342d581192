import { record } from '#tools/audit/record.ts';
import type { ToolContext } from '#tools/define.ts';

/**
 * Replaces the hosts of a secret, which keeps its value. For the command line only: over the API an admin could bind it to a host of
 * their own, and read it there. Errors: `request.invalid`, `secret.not_found`. Source: docs/decisions/0089.
 */
export async function bindSecret(
  ctx: ToolContext<'audit' | 'secrets'>,
  { projectId, name, hosts }: { readonly projectId: string; readonly name: string; readonly hosts: readonly string[] },
): Promise<void> {
  await ctx.deps.secrets.bind(ctx.principal.organizationId, projectId, name, hosts);
  await record(ctx, 'secret.bind', `${projectId}/${name}`, { hosts });
}
