import { z } from 'zod';
import { ContextResult } from '#src/contracts/resources/context.ts';
import { limits } from '#src/contracts/fields.ts';
import { defineTool } from '#tools/define.ts';

export const getContext = defineTool({
  name: 'get_context',
  description: 'Where you are: organization, projects, granted scopes, models in use, limits. Call this first.',
  scope: null,
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: ContextResult,
  async run({ deps, principal }) {
    const [organization, projects] = await Promise.all([
      deps.organizations.findOrganization(principal.organizationId),
      deps.organizations.listProjects(principal.organizationId),
    ]);
    return {
      organization: { id: principal.organizationId, name: organization?.name ?? '' },
      projects: projects
        .filter((project) => principal.projectIds.includes(project._id))
        .map((project) => ({ id: project._id, name: project.name })),
      credential: {
        kind: principal.kind,
        id: principal.actorId,
        name: principal.actorName,
        ...(principal.session === null ? {} : { email: principal.session.email, role: principal.session.role }),
      },
      scopes: [...principal.scopes],
      models: deps.modelLabels,
      limits: {
        uploadMaxBytes: deps.limits.uploadMaxBytes,
        documentIds: limits.documentIds,
        pageMax: limits.pageMax,
      },
    };
  },
});
