import { z } from 'zod';
import { ContextResult } from '#src/contracts/resources/context.ts';
import { limits } from '#src/contracts/fields.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { extractiveLabel } from '#src/domain/chat/extract-answer.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';

type Credential = z.input<typeof ContextResult>['credential'];

/** Person and client id of a program that acts for a person. The client's name is left out, because clients choose it themselves. */
function credentialOf({ kind, actorId: id, actorName: name, session, grant }: Principal): Credential {
  if (session !== null) return { kind, id, name, email: session.email, role: session.role };
  if (!grant) return { kind, id, name };
  const { email, role } = grant.member ?? {};
  const member = email === undefined || role === undefined ? {} : { email, role };
  return { kind, id, name: grant.person ? name : '', ...member, clientId: grant.clientId };
}

async function namesOf(
  { organizations }: Pick<ToolDeps, 'organizations'>,
  organizationId: string,
): Promise<NonNullable<Principal['names']>> {
  const [organization, projects] = await Promise.all([
    organizations.findOrganization(organizationId),
    organizations.listProjects(organizationId),
  ]);
  return {
    organizationName: organization?.name ?? '',
    projects: projects.map(({ _id: id, name }) => ({ id, name })),
  };
}

export const getContext = defineTool({
  name: 'get_context',
  description: 'Your organization, projects, scopes, models, OCR languages, hosts and limits. Call this first.',
  scope: null,
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: ContextResult,
  async run({
    deps,
    principal,
  }: ToolContext<'chatModel' | 'images' | 'installation' | 'limits' | 'modelLabels' | 'organizations'>) {
    const { organizationName, projects } = principal.names ?? (await namesOf(deps, principal.organizationId));
    return {
      organization: { id: principal.organizationId, name: organizationName },
      projects: projects.filter(({ id }) => principal.projectIds.includes(id)).map(({ id, name }) => ({ id, name })),
      credential: credentialOf(principal),
      scopes: [...principal.scopes],
      models: {
        ...deps.modelLabels,
        answers: deps.chatModel.label ?? extractiveLabel,
        chat: deps.installation.chatModel,
        segmentation: deps.installation.segmenter,
      },
      languages: [...deps.installation.languages()],
      // A host can be one of the operator's own network.
      ...(principal.scopes.has('workflows:read') && { hosts: [...deps.installation.hosts] }),
      limits: {
        uploadMaxBytes: deps.limits.uploadMaxBytes,
        contentTypes: [...deps.images.types],
        documentIds: limits.documentIds,
        pageMax: limits.pageMax,
      },
    };
  },
});
