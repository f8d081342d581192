import { SecretValue, StoredSecret } from '#src/contracts/organization/secret.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const setSecret = defineTool({
  name: 'set_secret',
  description:
    'Adds or replaces a secret of a project, for workflow nodes that name it. The value is stored encrypted; only runs read it, and send it to these hosts only.',
  scope: 'secrets:manage',
  effect: 'write',
  idempotent: true,
  recentSignIn: true,
  input: SecretValue,
  output: StoredSecret,
  async run(ctx: ToolContext<'audit' | 'secrets'>, { name, value, hosts, projectId: named }) {
    const { organizationId, actorId } = ctx.principal;
    const projectId = projectFor(ctx.principal, named);
    await ctx.deps.secrets.set({ organizationId, projectId }, name, { value, hosts }, actorId);
    await record(ctx, 'secret.set', `${projectId}/${name}`, { hosts });
    return { name, projectId, hosts };
  },
});
