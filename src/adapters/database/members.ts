import type { Filter } from 'mongodb';
import type { Collections, MemberRow } from '#src/adapters/database/collections.ts';
import { isDuplicateKey } from '#src/adapters/database/connect.ts';
import { newId } from '#src/domain/ids.ts';
import type { InvitationRecord, MemberRecord, Membership, MemberStore } from '#src/domain/ports/sessions.ts';

const most = 1_000;

const membershipOf = ({ _id, organizationId, userId, role, createdAt }: MemberRow): Membership => ({
  memberId: _id,
  organizationId,
  userId,
  role,
  createdAt,
});

/** Memberships and invitations, in the collections that the authentication library also reads. */
export function createMemberStore({
  members,
  users,
  invitations,
}: Pick<Collections, 'members' | 'users' | 'invitations'>): MemberStore {
  const withUsers = async (rows: readonly MemberRow[]): Promise<MemberRecord[]> => {
    const ids = rows.map(({ userId }) => userId);
    const found = await users.find({ _id: { $in: ids } }, { projection: { email: 1, name: 1 } }).toArray();
    const byId = new Map(found.map((user) => [user._id, user]));
    return rows.flatMap((row) => {
      const user = byId.get(row.userId);
      return user === undefined ? [] : [{ ...membershipOf(row), email: user.email, name: user.name }];
    });
  };

  /** Two owners who leave each other at once must not leave nobody: the last owner's row is the one that is asked. */
  const isLastOwner = async (organizationId: string, memberId: string): Promise<boolean> => {
    const others: Filter<MemberRow> = { organizationId, role: 'owner', _id: { $ne: memberId } };
    return (await members.findOne(others, { projection: { _id: 1 } })) === null;
  };

  return {
    async membership(organizationId, userId) {
      const row = await members.findOne({ organizationId, userId });
      return row === null ? null : membershipOf(row);
    },
    async organizationsOf(userId) {
      const rows = await members.find({ userId }).sort({ createdAt: 1 }).limit(100).toArray();
      return rows.map(membershipOf);
    },
    async list(organizationId) {
      return withUsers(await members.find({ organizationId }).sort({ createdAt: 1 }).limit(most).toArray());
    },
    async find(organizationId, memberId) {
      const row = await members.findOne({ _id: memberId, organizationId });
      return row === null ? null : ((await withUsers([row]))[0] ?? null);
    },
    async add(wanted) {
      const createdAt = new Date();
      const row: MemberRow = { ...wanted, _id: newId('member', createdAt), createdAt };
      try {
        await members.insertOne(row);
        return membershipOf(row);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const there = await members.findOne({ organizationId: wanted.organizationId, userId: wanted.userId });
      if (there === null) throw new Error('a membership vanished between two reads');
      return membershipOf(there);
    },
    async changeRole(organizationId, memberId, from, to) {
      if (from === 'owner' && to !== 'owner' && (await isLastOwner(organizationId, memberId))) return false;
      const done = await members.updateOne({ _id: memberId, organizationId, role: from }, { $set: { role: to } });
      return done.matchedCount === 1;
    },
    async remove(organizationId, memberId, role) {
      if (role === 'owner' && (await isLastOwner(organizationId, memberId))) return false;
      return (await members.deleteOne({ _id: memberId, organizationId, role })).deletedCount === 1;
    },
    async listInvitations(organizationId, now) {
      const rows = await invitations
        .find({ organizationId, status: 'pending', expiresAt: { $gt: now } })
        .sort({ createdAt: -1 })
        .limit(most)
        .toArray();
      return rows.map(({ _id, status: _, ...row }): InvitationRecord => ({ ...row, invitationId: _id }));
    },
    async invite({ invitationId, ...invitation }) {
      const { organizationId, email } = invitation;
      await invitations.updateMany({ organizationId, email, status: 'pending' }, { $set: { status: 'canceled' } });
      await invitations.insertOne({ ...invitation, _id: invitationId, status: 'pending' });
    },
    async cancelInvitation(organizationId, invitationId) {
      const done = await invitations.updateOne(
        { _id: invitationId, organizationId, status: 'pending' },
        { $set: { status: 'canceled' } },
      );
      return done.matchedCount === 1;
    },
  };
}
