import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { openCollections } from '#test/spec/support/open-collections.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let stored: Awaited<ReturnType<typeof openCollections>>;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  stored = await openCollections(app.dataDir);
});
afterAll(async () => {
  await stored[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const post = (path: string, { cookie }: Pick<Person, 'cookie'>, body: object = {}) =>
  app.call('POST', `/api/auth/${path}`, { cookie, body });
const context = ({ cookie }: Pick<Person, 'cookie'>) => app.call('GET', '/api/dashboard/context', { cookie });
describe('A new organization', () => {
  test('has its founder as owner, a project with the workflows, is active, and is in the audit log', async () => {
    const person = await app.addPerson();
    const { status, body } = await post('organization/create', person, { name: ' Ünï & Co ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Ünï & Co',
      slug: expect.stringMatching(/^u-ni-co-|^u-n-i-co-/),
    });
    const { body: now } = await context(person);
    expect(now).toMatchObject({
      organization: { id: body.id },
      credential: { role: 'owner' },
      projects: [{ name: 'Default project' }],
    });
    const workflows = await stored.workflows.find({ organizationId: body.id }).toArray();
    expect(new Set(workflows.map(({ codeName }) => codeName)).size).toBe(workflows.length);
    expect(workflows.length).toBeGreaterThan(0);
    expect(await stored.audit.findOne({ organizationId: body.id })).toMatchObject({
      action: 'organization.create',
      actor: person.userId,
      ip: '127.0.0.1',
    });
  });

  test('has its first project under a name that no other takes, in capitals or not', async () => {
    const { cookie } = await app.addPerson();
    await post('organization/create', { cookie }, { name: 'Names' });
    const again = await app.call('POST', '/api/dashboard/projects', { cookie, body: { name: 'DEFAULT project' } });
    problemOf(again, 'project.name_taken');
  });

  test('takes no short name that is taken, also when two want it at once', async () => {
    const person = await app.addPerson();
    const answers = await Promise.all(
      [1, 2, 3].map((name) => post('organization/create', person, { name: `N ${name}`, slug: 'the-one' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    for (const answer of answers.filter(({ status }) => status === 409))
      expect(pointersOf(problemOf(answer, 'organization.slug_taken'))).toEqual(['/slug']);
    expect(await stored.organizations.countDocuments({ slug: 'the-one' })).toBe(1);
    for (const body of [{}, { name: '' }, { name: 'x', slug: 'Not a slug' }, { name: 'x', role: 'owner' }])
      problemOf(await post('organization/create', person, body), 'request.invalid');
  });

  test.each(['sign-in', 'choice'])(
    'that a crash left without a project gets one at the next %s, and never two',
    async (when) => {
      const person = await app.addPerson();
      const { body } = await post('organization/create', person, { name: 'Cut short' });
      const [project] = await stored.projects.find({ organizationId: body.id }).toArray();
      await stored.projects.deleteMany({ organizationId: body.id });
      await stored.workflows.deleteMany({ organizationId: body.id }, {});
      const again = () =>
        when === 'choice' ? post('organization/set-active', person, { organizationId: body.id }) : app.signIn(person);
      await Promise.all([again(), again()]);
      expect(await stored.projects.find({ organizationId: body.id }).toArray()).toMatchObject([{ _id: project?._id }]);
      expect(await stored.workflows.countDocuments({ organizationId: body.id })).toBeGreaterThan(0);
      expect((await context(person)).body.projects).toHaveLength(1);
    },
  );
});

describe('The choice of an organization', () => {
  test('that the person is not a member of is refused as an unknown one, and changes nothing', async () => {
    const person = await app.addPerson('viewer');
    const theirs = await post('organization/create', await app.addPerson(), { name: 'Theirs' });
    problemOf(
      await post('organization/set-active', person, { organizationId: theirs.body.id }),
      'organization.not_found',
    );
    problemOf(await post('organization/set-active', person, { organizationId: 'org_x' }), 'organization.not_found');
    expect((await context(await app.signIn(person).then((cookie) => ({ cookie })))).body.organization.id).toBe(
      app.seed.organizationId,
    );
  });
});
