import { NewProject, Project } from '#src/contracts/organization/project.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentProject } from '#tools/projects/present.ts';
import { mostProjects } from '#src/domain/access/organization.ts';

export const createProject = defineTool({
  name: 'create_project',
  description:
    'A new project, with the workflows that come along. Its name is not taken in the organization, whether in capitals or not.',
  scope: 'projects:manage',
  effect: 'write',
  idempotent: false,
  input: NewProject,
  output: Project,
  async run(ctx: ToolContext<'audit' | 'organizations' | 'seedProject'>, { name }) {
    const { deps, principal } = ctx;
    const { organizationId, projectIds } = principal;
    // One more would be in no list, and nobody's to use.
    if (projectIds.length >= mostProjects)
      throw new AppError('auth.forbidden', `An organization has at most ${mostProjects} projects: rename one instead.`);
    const createdAt = new Date();
    const project = { _id: newId('project', createdAt), organizationId, name, createdAt };
    // The name before the workflows: where it is taken, there is nothing to take back.
    await deps.organizations.insertProject(project);
    await deps.seedProject({ organizationId, projectId: project._id });
    await record(ctx, 'project.create', project._id, { name });
    return presentProject(project);
  },
});
