import { z } from 'zod';
import { ProjectList } from '#src/contracts/organization/project.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentProject } from '#tools/projects/present.ts';

export const listProjects = defineTool({
  name: 'list_projects',
  description: 'Projects of the organization that this credential can access, oldest first.',
  scope: null,
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: ProjectList,
  async run({ deps, principal }: ToolContext<'organizations'>) {
    const projects = await deps.organizations.listProjects(principal.organizationId);
    const reached = new Set(principal.projectIds);
    return { projects: projects.filter(({ _id }) => reached.has(_id)).map(presentProject) };
  },
});
