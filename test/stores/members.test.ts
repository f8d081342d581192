import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemberStore, type MemberStore } from '#src/stores/members.ts';
import { newId } from '#src/domain/ids.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import type { MemberChange, Membership } from '#src/domain/access/member.ts';

describe('Members', () => {
  let database: TestDatabase;
  /** Two connections, as two processes have them. */
  let stores: readonly [MemberStore, MemberStore];
  beforeAll(async () => {
    database = await testDatabase();
    stores = [createMemberStore(database.collections), createMemberStore(database.connect().collections)];
  });
  afterAll(() => database.close());

  const storeOf = (index: number): MemberStore => (index % 2 === 0 ? stores[0] : stores[1]);

  /** An organization with this many owners. */
  async function owners(count: number): Promise<readonly Membership[]> {
    const organizationId = newId('organization');
    const { users } = database.collections;
    return Promise.all(
      Array.from({ length: count }, async () => {
        const userId = newId('user');
        await users.insertOne({ _id: userId, email: `${userId.toLowerCase()}@example.com`, name: 'Owner' });
        return stores[0].add({ organizationId, userId, role: 'owner' });
      }),
    );
  }
  const rolesIn = async (organizationId: string) =>
    (await stores[0].list(organizationId)).map(({ role }) => role).toSorted();
  const count = (told: readonly MemberChange[], wanted: MemberChange) => told.filter((one) => one === wanted).length;

  test('the last owner is neither removed nor given another role, and others are', async () => {
    const [only, ...more] = await owners(1);
    if (only === undefined || more.length > 0) throw new Error('expected one owner');
    const { organizationId, memberId } = only;
    expect(await stores[0].changeRole(organizationId, memberId, 'owner', 'admin')).toBe('last_owner');
    expect(await stores[0].remove(organizationId, memberId, 'owner')).toBe('last_owner');
    expect(await stores[0].membership(organizationId, only.userId)).toEqual(only);
    const guest = await stores[0].add({ organizationId, userId: newId('user'), role: 'viewer' });
    expect(await stores[0].changeRole(organizationId, guest.memberId, 'viewer', 'owner')).toBe('done');
    expect(await stores[0].remove(organizationId, memberId, 'owner')).toBe('done');
    expect(await stores[0].membership(organizationId, only.userId)).toBeNull();
    expect(await stores[0].remove(organizationId, guest.memberId, 'owner')).toBe('last_owner');
  });

  test.each([
    ['leave', 2],
    ['leave', 6],
    ['step down', 2],
    ['step down', 6],
  ])('when all owners %s at the same moment, %i of them, exactly one stays', async (how, size) => {
    for (let round = 0; round < 5; round += 1) {
      const all = await owners(size);
      const told = await Promise.all(
        all.map(({ organizationId, memberId }, index) =>
          how === 'leave'
            ? storeOf(index).remove(organizationId, memberId, 'owner')
            : storeOf(index).changeRole(organizationId, memberId, 'owner', 'viewer'),
        ),
      );
      expect(told.toSorted()).toEqual([...Array.from({ length: size - 1 }, () => 'done'), 'last_owner']);
      const others = how === 'leave' ? [] : Array.from({ length: size - 1 }, () => 'viewer');
      expect(await rolesIn(all[0]?.organizationId ?? '')).toEqual(['owner', ...others]);
      const { members } = database.collections;
      expect(await members.countDocuments({ leaving: { $exists: true } })).toBe(0);
    }
  });

  test('of several who remove the same owner at once, one does', async () => {
    const [first, second] = await owners(2);
    if (first === undefined || second === undefined) throw new Error('expected two owners');
    const told = await Promise.all(
      [0, 1, 2].map((index) => storeOf(index).remove(first.organizationId, first.memberId, 'owner')),
    );
    expect([count(told, 'done'), count(told, 'changed')]).toEqual([1, 2]);
    expect(await rolesIn(first.organizationId)).toEqual(['owner']);
  });

  test('what a process that died left half done holds nobody up', async () => {
    const [first, second] = await owners(2);
    if (first === undefined || second === undefined) throw new Error('expected two owners');
    const { organizationId } = first;
    const { members } = database.collections;
    const leaving = { token: 'of a dead process', at: new Date(Date.now() - 60_000) };
    await members.updateMany({ organizationId }, { $set: { leaving } });
    expect(await stores[0].remove(organizationId, first.memberId, 'owner')).toBe('done');
    expect(await stores[0].remove(organizationId, second.memberId, 'owner')).toBe('last_owner');
    expect(await members.find({ organizationId, leaving: { $exists: true } }).toArray()).toEqual([]);
  });

  test('a change that another one outran does nothing, and says so', async () => {
    const [owner] = await owners(2);
    if (owner === undefined) throw new Error('expected owners');
    const { organizationId, memberId } = owner;
    expect(await stores[0].changeRole(organizationId, memberId, 'admin', 'viewer')).toBe('changed');
    expect(await stores[0].remove(organizationId, memberId, 'viewer')).toBe('changed');
    expect(await stores[0].remove(newId('organization'), memberId, 'owner')).toBe('changed');
    expect(await rolesIn(organizationId)).toEqual(['owner', 'owner']);
  });

  test('an invitation replaces one of the same address, also when both come at once', async () => {
    const now = new Date();
    const organizationId = newId('organization');
    const email = `guest-${organizationId.toLowerCase()}@example.com`;
    const invite = (index: number) =>
      storeOf(index).invite({
        invitationId: newId('invitation'),
        organizationId,
        email,
        role: 'viewer',
        inviterId: 'usr_a',
        linkHash: String(index),
        createdAt: now,
        expiresAt: new Date(now.getTime() + 60_000),
      });
    await Promise.all([0, 1, 2, 3].map(invite));
    const waiting = await stores[0].listInvitations(organizationId, now);
    expect(waiting).toHaveLength(1);
    const invitationId = waiting[0]?.invitationId ?? '';
    expect(await stores[0].findInvitation(organizationId, invitationId, now)).toEqual(waiting[0]);
    const later = new Date(now.getTime() + 60_001);
    expect(await stores[0].listInvitations(organizationId, later)).toEqual([]);
    expect(await stores[0].findInvitation(organizationId, invitationId, later)).toBeNull();
    expect(await stores[0].cancelInvitation(newId('organization'), invitationId)).toBe(false);
    expect(await stores[0].cancelInvitation(organizationId, invitationId)).toBe(true);
    expect(await stores[0].cancelInvitation(organizationId, invitationId)).toBe(false);
  });

  test('a member is found by address in their own organization only', async () => {
    const [owner] = await owners(1);
    if (owner === undefined) throw new Error('expected an owner');
    const email = `${owner.userId.toLowerCase()}@example.com`;
    expect(await stores[0].findByEmail(owner.organizationId, email)).toMatchObject({ ...owner, email });
    expect(await stores[0].findByEmail(newId('organization'), email)).toBeNull();
    expect(await stores[0].findByEmail(owner.organizationId, 'nobody@example.com')).toBeNull();
  });
});
