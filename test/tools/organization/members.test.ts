import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dashboardOrganization as rows } from '#src/contracts/dashboard/organization.ts';
import type { Role } from '#src/contracts/organization/member.ts';
import { problemOf, replyOf } from '#test/spec/support/replies.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let owner: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  owner = await app.signIn();
});
afterAll(() => app[Symbol.asyncDispose]());

const ask = (method: string, path: string, cookie: string, body?: unknown) =>
  app.call(method, `/api/dashboard/${path}`, { cookie, ...(body === undefined ? {} : { body }) });
const membersBy = async (cookie = owner) => replyOf(rows.members, await ask('GET', 'members', cookie)).members;
const idOf = async (email: string): Promise<string> =>
  (await membersBy()).find((member) => member.email === email)?.memberId ?? 'nobody';
const memberOf = async (role: Role): Promise<Person & { memberId: string }> => {
  const person = await app.addPerson(role);
  return { ...person, memberId: await idOf(person.email) };
};
const give = (cookie: string, memberId: string, role: Role) => ask('PATCH', `members/${memberId}`, cookie, { role });
const auditOn = async (target: string) =>
  replyOf(rows.audit, await ask('GET', 'audit?limit=100', owner)).records.filter((record) => record.target === target);

describe('Members', () => {
  test('are listed with address, name and role, and a viewer may read them', async () => {
    const viewer = await app.addPerson('viewer');
    const listed = await membersBy(viewer.cookie);
    expect(listed.find(({ userId }) => userId === viewer.userId)).toMatchObject({
      email: viewer.email,
      role: 'viewer',
      name: expect.any(String),
    });
    expect(listed.find(({ email }) => email === app.seed.operatorEmail)).toMatchObject({ role: 'owner' });
    expect(JSON.stringify(listed)).not.toMatch(/password|hash|token/i);
  });

  test('have another role from the next call of their session on', async () => {
    const { cookie, memberId, userId } = await memberOf('viewer');
    const create = () => ask('POST', 'projects', cookie, { name: `Of ${userId}` });
    problemOf(await create(), 'auth.forbidden');
    expect(replyOf(rows.changeRole, await give(owner, memberId, 'admin'))).toMatchObject({ memberId, role: 'admin' });
    replyOf(rows.createProject, await create());
    replyOf(rows.changeRole, await give(owner, memberId, 'editor'));
    problemOf(await ask('GET', 'keys', cookie), 'auth.forbidden');
    replyOf(rows.changeRole, await give(owner, memberId, 'editor'));
    const told = (await auditOn(memberId)).map(({ action, actor, detail, ip }) => ({ action, actor, detail, ip }));
    const operator = (await membersBy()).find(({ email }) => email === app.seed.operatorEmail);
    expect(told).toEqual([
      expect.objectContaining({ detail: expect.objectContaining({ userId, from: 'admin', to: 'editor' }) }),
      {
        action: 'member.role',
        actor: operator?.userId,
        detail: expect.objectContaining({ userId, from: 'viewer', to: 'admin' }),
        ip: expect.stringContaining('127.0.0.1'),
      },
    ]);
  });

  test('who are removed see nothing more with a live session, and what they made stays', async () => {
    const { cookie, memberId, userId } = await memberOf('admin');
    const { id } = replyOf(rows.createProject, await ask('POST', 'projects', cookie, { name: `Left by ${userId}` }));
    expect(replyOf(rows.removeMember, await ask('DELETE', `members/${memberId}`, owner))).toEqual({
      memberId,
      removed: true,
      keys: [],
      apps: [],
      clients: [],
      webhooks: [],
    });
    for (const path of ['members', 'projects', `members?organizationId=${app.seed.organizationId}`])
      problemOf(await ask('GET', path, cookie), 'organization.not_found');
    expect((await membersBy()).map((member) => member.memberId)).not.toContain(memberId);
    expect(replyOf(rows.projects, await ask('GET', 'projects', owner)).projects.map((one) => one.id)).toContain(id);
    problemOf(await ask('DELETE', `members/${memberId}`, owner), 'member.not_found');
    expect(await auditOn(memberId)).toMatchObject([{ action: 'member.remove', detail: { userId, role: 'admin' } }]);
  });

  test('remove themselves whatever their role, and nobody else without the right', async () => {
    const [viewer, editor] = [await memberOf('viewer'), await memberOf('editor')];
    problemOf(await ask('DELETE', `members/${editor.memberId}`, viewer.cookie), 'auth.forbidden');
    problemOf(await ask('DELETE', 'members/mbr_unknown', viewer.cookie), 'auth.forbidden');
    replyOf(rows.removeMember, await ask('DELETE', `members/${viewer.memberId}`, viewer.cookie));
    problemOf(await ask('GET', 'members', viewer.cookie), 'organization.not_found');
    replyOf(rows.removeMember, await ask('DELETE', `members/${editor.memberId}`, editor.cookie));
  });

  test('only owners make, change and remove owners', async () => {
    const [admin, other, second] = [await memberOf('admin'), await memberOf('admin'), await memberOf('owner')];
    const byAdmin = [
      await give(admin.cookie, other.memberId, 'owner'),
      await give(admin.cookie, admin.memberId, 'owner'),
      await give(admin.cookie, second.memberId, 'viewer'),
      await give(admin.cookie, second.memberId, 'owner'),
      await ask('DELETE', `members/${second.memberId}`, admin.cookie),
      await ask('POST', 'invitations', admin.cookie, { email: 'new-owner@example.com', role: 'owner' }),
    ];
    for (const answer of byAdmin) problemOf(answer, 'auth.forbidden');
    replyOf(rows.changeRole, await give(admin.cookie, other.memberId, 'viewer'));
    replyOf(rows.changeRole, await give(owner, other.memberId, 'owner'));
    replyOf(rows.changeRole, await give(owner, other.memberId, 'viewer'));
    replyOf(rows.removeMember, await ask('DELETE', `members/${second.memberId}`, second.cookie));
  });

  test('the last owner stays, also when two owners demote or remove each other at the same moment', async () => {
    const first = await idOf(app.seed.operatorEmail);
    problemOf(await give(owner, first, 'admin'), 'member.last_owner');
    problemOf(await ask('DELETE', `members/${first}`, owner), 'member.last_owner');
    const ways = [
      (cookie: string, memberId: string) => give(cookie, memberId, 'viewer'),
      (cookie: string, memberId: string) => ask('DELETE', `members/${memberId}`, cookie),
    ];
    for (const way of ways) {
      const one = await memberOf('owner');
      const other = await memberOf('owner');
      const { deps } = app.app;
      expect(await deps.members.changeRole(app.seed.organizationId, first, 'owner', 'admin')).toBe('done');
      const answers = await Promise.all([way(one.cookie, other.memberId), way(other.cookie, one.memberId)]);
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses[0]).toBe(200);
      // The second one is the last owner by then, or no owner any more.
      expect([409, 403, 404]).toContain(statuses[1]);
      expect((await membersBy()).filter(({ role }) => role === 'owner')).toHaveLength(1);
      await deps.members.changeRole(app.seed.organizationId, first, 'admin', 'owner');
      for (const { memberId, role } of (await membersBy()).filter((member) => member.memberId !== first))
        await deps.members.remove(app.seed.organizationId, memberId, role);
    }
  });
});

describe('Invitations', () => {
  test('are good for a week, name the page that accepts them, and are listed until they are canceled', async () => {
    const email = 'Guest.One@Example.com';
    const made = replyOf(rows.invite, await ask('POST', 'invitations', owner, { email, role: 'editor' }));
    expect(made).toMatchObject({ email: email.toLowerCase(), role: 'editor' });
    const { url, mailed, ...shown } = made;
    expect(url).toMatch(/\/invitations\?token=[\w-]{43}$/);
    expect(url).toContain(new URL(app.addresses.api).origin);
    expect(mailed).toBe(false);
    expect((new Date(made.expiresAt).getTime() - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    const listed = async () => replyOf(rows.invitations, await ask('GET', 'invitations', owner)).invitations;
    // The link is shown once, and kept as a hash.
    expect(await listed()).toEqual([shown]);
    const again = replyOf(rows.invite, await ask('POST', 'invitations', owner, { email }));
    expect(again.role).toBe('viewer');
    expect((await listed()).map(({ invitationId }) => invitationId)).toEqual([again.invitationId]);
    problemOf(await ask('DELETE', `invitations/${made.invitationId}`, owner), 'invitation.not_found');
    const canceled = replyOf(rows.cancelInvitation, await ask('DELETE', `invitations/${again.invitationId}`, owner));
    expect(canceled).toEqual({ invitationId: again.invitationId, canceled: true });
    expect(await listed()).toEqual([]);
    const told = (await auditOn(email.toLowerCase())).map(({ action, detail }) => [action, detail['role']]);
    expect(told).toEqual([
      ['invitation.cancel', 'viewer'],
      ['invitation.create', 'viewer'],
      ['invitation.create', 'editor'],
    ]);
  });

  test('are refused to a member, and to what is no address', async () => {
    const { email } = await app.addPerson('viewer');
    const known = problemOf(
      await ask('POST', 'invitations', owner, { email: email.toUpperCase() }),
      'invitation.member_already',
    );
    expect(known.errors).toMatchObject([{ pointer: '/email' }]);
    for (const body of [{ email: 'nobody' }, { email: 'a@example.com', role: 'god' }, { email: 'a@example.com', x: 1 }])
      problemOf(await ask('POST', 'invitations', owner, body), 'request.invalid');
    // A person who is no member yet may have an account.
    const stranger = await app.addPerson();
    replyOf(rows.invite, await ask('POST', 'invitations', owner, { email: stranger.email }));
  });

  test('of owners are seen and canceled by owners only, and the audit log opens none', async () => {
    const admin = await app.addPerson('admin');
    const body = { email: 'second-owner@example.com', role: 'owner' };
    const { invitationId } = replyOf(rows.invite, await ask('POST', 'invitations', owner, body));
    const seen = await ask('GET', 'invitations', admin.cookie);
    expect(replyOf(rows.invitations, seen).invitations.map(({ role }) => role)).not.toContain('owner');
    problemOf(await ask('DELETE', `invitations/${invitationId}`, admin.cookie), 'invitation.not_found');
    const log = await ask('GET', 'audit?limit=100', admin.cookie);
    expect(log.status).toBe(200);
    expect(JSON.stringify(log.body)).toContain(body.email);
    expect(JSON.stringify([log.body, seen.body])).not.toContain(invitationId);
    replyOf(rows.cancelInvitation, await ask('DELETE', `invitations/${invitationId}`, owner));
  });
});
