import { expect } from 'vitest';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { replyOf } from '#test/spec/support/replies.ts';
import { sharedApp } from '#test/spec/support/shared-app.ts';
import { verifies } from '#test/support/verifies.ts';

const app = await sharedApp({ env: { SERVICES: 'api' } });
const cookie = await app.signIn();

verifies('resource.organization.fields', async () => {
  const { status, body } = await app.call('GET', '/api/dashboard/context', { cookie });
  expect(status).toBe(200);
  expect(body.organization).toEqual({ id: app.seed.organizationId, name: 'Demo organization' });
  const { projects, createProject, renameProject } = dashboardOrganization;
  const ask = (method: string, path: string, sent?: object) => app.call(method, path, { cookie, body: sent });
  const made = replyOf(createProject, await ask('POST', projects.path, { name: 'Invoices' }));
  expect(made.id).toMatch(/^prj_[0-9A-Za-z]{22}$/);
  const path = renameProject.path.replace(':projectId', made.id);
  replyOf(renameProject, await ask('PATCH', path, { name: 'Receipts' }));
  const listed = replyOf(projects, await ask('GET', projects.path)).projects;
  expect(listed.map(({ id, name }) => ({ id, name }))).toEqual([
    { id: app.seed.projectId, name: 'Demo project' },
    { id: made.id, name: 'Receipts' },
  ]);
  const stored = await app.stored();
  expect(await stored.projects.findOne({ _id: made.id })).toMatchObject({
    organizationId: app.seed.organizationId,
    name: 'Receipts',
  });
  expect(await stored.organizations.findOne({ _id: app.seed.organizationId })).toMatchObject({
    name: body.organization.name,
  });
});
