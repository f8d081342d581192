import { SecretList, SecretListQuery } from '#src/contracts/organization/secret.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const listSecrets = defineTool({
  name: 'list_secrets',
  description: 'Names and hosts of the secrets of a project. Values are never shown.',
  scope: 'secrets:manage',
  effect: 'read',
  idempotent: true,
  input: SecretListQuery,
  output: SecretList,
  async run({ deps, principal }: ToolContext<'secrets'>, { projectId: named }) {
    const projectId = projectFor(principal, named);
    const found = await deps.secrets.list(principal.organizationId, projectId);
    return {
      secrets: found.map(({ name, createdBy, createdAt, hosts }) => ({
        name,
        projectId,
        createdBy,
        createdAt: createdAt.toISOString(),
        hosts: [...hosts],
      })),
    };
  },
});
