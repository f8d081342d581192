import { z } from 'zod';
import { ContextResult } from '#src/contracts/resources/context.ts';
import { limits } from '#src/contracts/fields.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { extractiveLabel } from '#src/domain/chat/extract-answer.ts';
import { defineTool } from '#tools/define.ts';

type Credential = z.input<typeof ContextResult>['credential'];

/** Of a program that acts for a person: the person, and the program by id. What it calls itself is nobody's name here. */
function credentialOf({ kind, actorId: id, actorName: name, session, grant }: Principal): Credential {
  if (session !== null) return { kind, id, name, email: session.email, role: session.role };
  if (!grant) return { kind, id, name };
  return { kind, id, name: grant.person ? name : '', ...grant.member, clientId: grant.clientId };
}

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
      credential: credentialOf(principal),
      scopes: [...principal.scopes],
      models: { ...deps.modelLabels, answers: deps.chatModel.label ?? extractiveLabel },
      limits: {
        uploadMaxBytes: deps.limits.uploadMaxBytes,
        documentIds: limits.documentIds,
        pageMax: limits.pageMax,
      },
    };
  },
});
