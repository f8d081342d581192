import { Project, ProjectChange, ProjectPath } from '#src/contracts/organization/project.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentProject } from '#tools/projects/present.ts';

export const renameProject = defineTool({
  name: 'rename_project',
  description: 'Renames a project; its id does not change. Ids come from list_projects.',
  scope: 'projects:manage',
  effect: 'write',
  idempotent: true,
  input: ProjectChange.extend(ProjectPath.shape),
  output: Project,
  async run(ctx: ToolContext<'audit' | 'organizations'>, { projectId, name }) {
    const { organizations } = ctx.deps;
    const { organizationId } = ctx.principal;
    const known = await organizations.findProject(organizationId, projectFor(ctx.principal, projectId));
    if (known === null || !(await organizations.renameProject(organizationId, projectId, name)))
      throw new AppError(
        'project.not_found',
        'No project with this id is yours. Take an id from the list of projects.',
      );
    await record(ctx, 'project.rename', projectId, { from: known.name, to: name });
    return presentProject({ ...known, name });
  },
});
