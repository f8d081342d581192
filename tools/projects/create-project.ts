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
    'Creates a project with the default workflows. Its name must be unique in the organization, ignoring case.',
  scope: 'projects:manage',
  effect: 'write',
  idempotent: false,
  input: NewProject,
  output: Project,
  async run(ctx: ToolContext<'audit' | 'organizations' | 'seedProject'>, { name }) {
    const { deps, principal } = ctx;
    const { organizationId, projectIds } = principal;
    // Lists read at most this many projects, so one more would be unusable.
    if (projectIds.length >= mostProjects)
      throw new AppError(
        'auth.forbidden',
        `The organization has ${mostProjects} projects, the maximum. Rename one instead.`,
      );
    const createdAt = new Date();
    const project = { _id: newId('project', createdAt), organizationId, name, createdAt };
    // Order matters: if the name is taken, no workflows have been added yet.
    await deps.organizations.insertProject(project);
    await deps.seedProject({ organizationId, projectId: project._id });
    await record(ctx, 'project.create', project._id, { name });
    return presentProject(project);
  },
});
