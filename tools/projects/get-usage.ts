import { z } from 'zod';
import { Usage } from '#src/contracts/organization/usage.ts';
import type { QuotaScope, Stored } from '#src/domain/access/quota.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const getUsage = defineTool({
  name: 'get_usage',
  description: 'Storage used by the organization and its projects, with the limits: bytes and objects.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: Usage,
  async run({ deps, principal }: ToolContext<'organizations' | 'usage'>) {
    const { organizationId, projectIds, keyId } = principal;
    const mine = new Set(projectIds);
    const projects = (await deps.organizations.listProjects(organizationId)).filter(({ _id }) => mine.has(_id));
    const ids = [organizationId, ...projects.map(({ _id }) => _id), ...(keyId === null ? [] : [keyId])];
    const counts = await deps.usage.read(organizationId, ids);
    const figures = (id: string, scope: QuotaScope) => {
      const used: Stored = counts.get(id) ?? { bytes: 0, objects: 0 };
      const limit = deps.usage.quotas[scope];
      return {
        bytes: { used: used.bytes, limit: limit.bytes },
        objects: { used: used.objects, limit: limit.objects },
      };
    };
    return {
      organization: figures(organizationId, 'organization'),
      projects: projects.map(({ _id: id, name }) => ({ id, name, ...figures(id, 'project') })),
      key: keyId === null ? null : figures(keyId, 'key'),
    };
  },
});
