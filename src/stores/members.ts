import type { Filter } from 'mongodb';
import type { Collections, InvitationRow, MemberRow } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { unlessLastOwner } from '#src/stores/owner-change.ts';
import { newId } from '#src/domain/ids.ts';
import type {
  InvitationRecord,
  MemberChange,
  MemberRecord,
  Membership,
  Removal,
  UnfinishedRemoval,
} from '#src/domain/access/member.ts';
import type { ProjectRole, Role } from '#src/contracts/organization/member.ts';

const most = 1_000;

const membershipOf = ({
  _id,
  organizationId,
  userId,
  role,
  projectRoles = {},
  pendingRole,
  createdAt,
}: MemberRow): Membership => ({
  memberId: _id,
  organizationId,
  userId,
  role,
  projectRoles,
  ...(pendingRole === undefined ? {} : { pendingRole }),
  createdAt,
});

const invitationOf = (stored: InvitationRow): InvitationRecord => {
  const { _id, status: _, linkHash = '', ...row } = stored;
  return { ...row, linkHash, invitationId: _id };
};

function createInvitations(invitations: Collections['invitations']) {
  return {
    /** Lists pending invitations, newest first. */
    async listInvitations(organizationId: string, now: Date): Promise<readonly InvitationRecord[]> {
      const rows = await invitations
        .find({ organizationId, status: 'pending', expiresAt: { $gt: now } })
        .sort({ createdAt: -1 })
        .limit(most)
        .toArray();
      return rows.map(invitationOf);
    },
    /** Finds a pending invitation. */
    async findInvitation(organizationId: string, invitationId: string, now: Date): Promise<InvitationRecord | null> {
      const waits = { organizationId, status: 'pending', expiresAt: { $gt: now } } as const;
      const row = await invitations.findOne({ _id: invitationId, ...waits });
      return row === null ? null : invitationOf(row);
    },
    /** Replaces a pending invitation of the same address. */
    async invite({ invitationId, ...invitation }: InvitationRecord): Promise<void> {
      const { organizationId, email } = invitation;
      for (let attempt = 1; ; attempt += 1) {
        await invitations.updateMany({ organizationId, email, status: 'pending' }, { $set: { status: 'canceled' } });
        try {
          await invitations.insertOne({ ...invitation, _id: invitationId, status: 'pending' });
          return;
        } catch (error) {
          // A concurrent invitation of the same address came between the two writes: the later one replaces it.
          if (!isDuplicateKey(error) || attempt === 10) throw error;
        }
      }
    },
    /** False when there is no such pending invitation. */
    async cancelInvitation(organizationId: string, invitationId: string): Promise<boolean> {
      const done = await invitations.updateOne(
        { _id: invitationId, organizationId, status: 'pending' },
        { $set: { status: 'canceled' } },
      );
      return done.matchedCount === 1;
    },
  };
}

function createRoles(members: Collections['members']) {
  return {
    /** Sets or, with null, removes the role in a project, while the member has the role `from` in the organization. */
    async setProjectRole(
      { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
      memberId: string,
      { from, to }: { readonly from: Role; readonly to: ProjectRole | null },
    ): Promise<MemberChange> {
      const field = `projectRoles.${projectId}`;
      const change = to === null ? { $unset: { [field]: 1 as const } } : { $set: { [field]: to } };
      const { matchedCount } = await members.updateOne({ _id: memberId, organizationId, role: from }, change);
      return matchedCount === 1 ? 'done' : 'changed';
    },
    /** Gives the role that waits. False when this role does not wait. */
    async confirmRole(organizationId: string, memberId: string, pendingRole: Role): Promise<boolean> {
      const waits = { _id: memberId, organizationId, pendingRole };
      const done = await members.updateOne(waits, { $set: { role: pendingRole }, $unset: { pendingRole: 1 } });
      return done.matchedCount === 1;
    },
  };
}

const removalOf = ({ _id: memberId, organizationId, removal }: MemberRow): readonly UnfinishedRemoval[] =>
  removal === undefined ? [] : [{ ...removal, memberId, organizationId }];

function createRemovals(members: Collections['members']) {
  return {
    /**
     * Ends a membership and leaves a mark, until `finishRemoval`: a crash in between leaves work to be found. One write, which nobody sees
     * half done. Follows the rules of `changeRole`. Source: docs/decisions/0087.
     */
    async beginRemoval(organizationId: string, memberId: string, removal: Removal): Promise<MemberChange> {
      const who = { _id: memberId, organizationId };
      const { userId, role } = removal;
      const begin = async (claimed: Filter<MemberRow>): Promise<boolean> => {
        const gone = { userId: memberId, role: 'viewer' as const, removal };
        const change = { $set: gone, $unset: { leaving: 1, pendingRole: 1, projectRoles: 1 } } as const;
        return (await members.updateOne({ ...claimed, userId }, change)).matchedCount === 1;
      };
      if (role === 'owner') return unlessLastOwner(members, who, begin);
      return (await begin({ ...who, role })) ? 'done' : 'changed';
    },
    async removal(organizationId: string, memberId: string): Promise<UnfinishedRemoval | null> {
      const row = await members.findOne({ _id: memberId, organizationId });
      return row === null ? null : (removalOf(row)[0] ?? null);
    },
    /** Lists removals of all organizations that began before this time, at most 100. */
    async unfinishedRemovals(before: Date): Promise<readonly UnfinishedRemoval[]> {
      const rows = await members
        .find({ 'removal.at': { $lt: before } })
        .limit(100)
        .toArray();
      return rows.flatMap(removalOf);
    },
    async finishRemoval(organizationId: string, memberId: string): Promise<void> {
      await members.deleteOne({ _id: memberId, organizationId, removal: { $exists: true } });
    },
  };
}

/** Memberships and invitations, in collections that the authentication library reads too. */
export function createMemberStore({
  members,
  users,
  invitations,
}: Pick<Collections, 'members' | 'users' | 'invitations'>) {
  const withUsers = async (rows: readonly MemberRow[]): Promise<MemberRecord[]> => {
    const ids = rows.map(({ userId }) => userId);
    const found = await users.find({ _id: { $in: ids } }, { projection: { email: 1, name: 1 } }).toArray();
    const byId = new Map(found.map((user) => [user._id, user]));
    return rows.flatMap((row) => {
      const user = byId.get(row.userId);
      return user === undefined ? [] : [{ ...membershipOf(row), email: user.email, name: user.name }];
    });
  };

  return {
    /** Id of the user with this address (lower case). */
    async userIdOf(email: string): Promise<string | null> {
      return (await users.findOne({ email }, { projection: { _id: 1 } }))?._id ?? null;
    },
    async membership(organizationId: string, userId: string): Promise<Membership | null> {
      const row = await members.findOne({ organizationId, userId });
      return row === null ? null : membershipOf(row);
    },
    /** Lists memberships of a user, oldest first, at most 100. */
    async organizationsOf(userId: string): Promise<readonly Membership[]> {
      const rows = await members.find({ userId }).sort({ createdAt: 1 }).limit(100).toArray();
      return rows.map(membershipOf);
    },
    async list(organizationId: string): Promise<readonly MemberRecord[]> {
      return withUsers(await members.find({ organizationId }).sort({ createdAt: 1 }).limit(most).toArray());
    },
    async find(organizationId: string, memberId: string): Promise<MemberRecord | null> {
      const row = await members.findOne({ _id: memberId, organizationId });
      return row === null ? null : ((await withUsers([row]))[0] ?? null);
    },
    /** `email` in lower case. */
    async findByEmail(organizationId: string, email: string): Promise<MemberRecord | null> {
      const user = await users.findOne({ email }, { projection: { email: 1, name: 1 } });
      const row = user === null ? null : await members.findOne({ organizationId, userId: user._id });
      return user === null || row === null ? null : { ...membershipOf(row), email: user.email, name: user.name };
    },
    /** Adds an owner to a new organization, or a new member. Returns the stored membership. */
    async add(wanted: Omit<Membership, 'memberId' | 'createdAt' | 'projectRoles'>): Promise<Membership> {
      const createdAt = new Date();
      const row: MemberRow = { ...wanted, _id: newId('member', createdAt), createdAt };
      try {
        await members.insertOne(row);
        return membershipOf(row);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const there = await members.findOne({ organizationId: wanted.organizationId, userId: wanted.userId });
      if (there === null) throw new Error('a membership was deleted between two reads');
      return membershipOf(there);
    },
    /**
     * Keeps at least one owner when owners change or leave concurrently: the last change gets `last_owner`. May wait for another such
     * change, 10 s at most.
     */
    async changeRole(organizationId: string, memberId: string, from: Role, to: Role): Promise<MemberChange> {
      const who = { _id: memberId, organizationId };
      const change = async (claimed: Filter<MemberRow>): Promise<boolean> =>
        (await members.updateOne(claimed, { $set: { role: to }, $unset: { leaving: 1, pendingRole: 1 } }))
          .matchedCount === 1;
      if (from === 'owner' && to !== 'owner') return unlessLastOwner(members, who, change);
      return (await change({ ...who, role: from })) ? 'done' : 'changed';
    },
    /** Follows the rules of `changeRole`. */
    async remove(organizationId: string, memberId: string, role: Role): Promise<MemberChange> {
      const who = { _id: memberId, organizationId };
      const remove = async (claimed: Filter<MemberRow>): Promise<boolean> =>
        (await members.deleteOne(claimed)).deletedCount === 1;
      if (role === 'owner') return unlessLastOwner(members, who, remove);
      return (await remove({ ...who, role })) ? 'done' : 'changed';
    },
    ...createRemovals(members),
    ...createRoles(members),
    ...createInvitations(invitations),
  };
}

/** Members of organizations. Every call of a session reads them: a removed member loses access at once. */
export type MemberStore = ReturnType<typeof createMemberStore>;
