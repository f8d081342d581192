import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

describe('A session', () => {
  test('opens the dashboard for the organization of its user', async () => {
    const cookie = await app.signIn();
    const { status, body } = await app.call('GET', '/api/dashboard/context', { cookie });
    expect(body).toMatchObject({
      organization: { id: app.seed.organizationId },
      projects: [{ id: app.seed.projectId }],
      credential: { kind: 'session', email: app.seed.operatorEmail, role: 'owner' },
    });
    expect(status).toBe(200);
  });

  test('of somebody who belongs to no organization says what to do', async () => {
    const { cookie } = await app.addPerson();
    const { status, body } = await app.call('GET', '/api/dashboard/context', { cookie });
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ pointer: '/organizationId' })]);
  });
});
