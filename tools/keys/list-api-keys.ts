import { ApiKeyList, ApiKeyListQuery } from '#src/contracts/organization/api-key.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentKey } from '#tools/keys/present.ts';

export const listApiKeys = defineTool({
  name: 'list_api_keys',
  description: 'API keys, newest first. Secrets are never shown.',
  scope: 'keys:manage',
  effect: 'read',
  idempotent: true,
  input: ApiKeyListQuery,
  output: ApiKeyList,
  async run({ deps, principal }: ToolContext<'apiKeys'>, { projectId }) {
    const projectIds = projectId === undefined ? principal.projectIds : [projectFor(principal, projectId)];
    const now = new Date();
    const keys = await deps.apiKeys.list(principal.organizationId, projectIds);
    return { keys: keys.map((key) => presentKey(key, now)) };
  },
});
