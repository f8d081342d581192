import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { addCodeWorkflow } from '#src/agents/publish-code-workflows.ts';
import { scopes } from '#src/contracts/scopes.ts';
import { newId } from '#src/domain/ids.ts';
import { issueKey } from '#src/domain/access/issue-key.ts';
import type { Seed } from '#scripts/cli/seed-data.ts';
import type { TestApp } from '#test/support/test-app.ts';

/** Another tenant in the same database: another organization, or another project of the seeded one. */
export async function addNeighbour({ app, seed }: TestApp, where: 'organization' | 'project'): Promise<Seed> {
  const { deps } = app;
  const createdAt = new Date();
  const organizationId = where === 'project' ? seed.organizationId : newId('organization', createdAt);
  if (where === 'organization')
    await deps.organizations.insertOrganization({ _id: organizationId, name: 'Neighbour', createdAt });
  const projectId = newId('project', createdAt);
  await deps.organizations.insertProject({ _id: projectId, organizationId, name: 'Neighbour', createdAt });
  const workflow = await addCodeWorkflow(deps, documentIntake, { organizationId, projectId });
  const place = { organizationId, projectId, createdBy: 'test' };
  const workflowKey = await issueKey(deps, { ...place, kind: 'workflow', name: 'Neighbour', workflowId: workflow._id });
  const serviceKey = await issueKey(deps, { ...place, kind: 'service', name: 'Neighbour' });
  const agentKey = await issueKey(deps, { ...place, kind: 'service', name: 'Neighbour agent', scopes });
  return {
    organizationId,
    projectId,
    workflowId: workflow._id,
    workflowKey: workflowKey.secret,
    serviceKey: serviceKey.secret,
    agentKey: agentKey.secret,
  };
}
