import { DeletedSecret, SecretListQuery, SecretPath } from '#src/contracts/organization/secret.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const deleteSecret = defineTool({
  name: 'delete_secret',
  description: 'Deletes a secret of a project; runs that need it fail from then on. Names come from list_secrets.',
  scope: 'secrets:manage',
  effect: 'destroy',
  idempotent: false,
  recentSignIn: true,
  input: SecretListQuery.extend(SecretPath.shape),
  output: DeletedSecret,
  async run(ctx: ToolContext<'audit' | 'secrets'>, { name, projectId: named }) {
    const projectId = projectFor(ctx.principal, named);
    if (!(await ctx.deps.secrets.delete(ctx.principal.organizationId, projectId, name)))
      throw new AppError(
        'secret.not_found',
        `The project has no secret ${name}. Take a name from the list of secrets.`,
        {
          errors: [{ pointer: '/name', code: 'not_found', message: 'take a name from the list of secrets' }],
        },
      );
    await record(ctx, 'secret.delete', `${projectId}/${name}`);
    return { name, projectId, deleted: true as const };
  },
});
