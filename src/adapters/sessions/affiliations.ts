import type { Collections, InvitationRow } from '#src/adapters/database/collections.ts';
import { isDuplicateKey } from '#src/adapters/database/connect.ts';
import type { Affiliations, WaitingInvitation } from '#src/domain/ports/sessions.ts';

const most = 100;

async function insertOnce(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** What a person belongs to and is invited to: asked by user id and by address, never by organization alone. */
export function createAffiliations({
  organizations,
  projects,
  members,
  invitations,
}: Pick<Collections, 'organizations' | 'projects' | 'members' | 'invitations'>): Affiliations {
  const namesOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    if (ids.length === 0) return new Map();
    const found = await organizations.find({ _id: { $in: [...ids] } }, { projection: { name: 1 } }).toArray();
    return new Map(found.map(({ _id, name }) => [_id, name]));
  };
  const withNames = async (rows: readonly InvitationRow[]): Promise<WaitingInvitation[]> => {
    const names = await namesOf(rows.map(({ organizationId }) => organizationId));
    return rows.flatMap(({ _id, organizationId, role, expiresAt }) => {
      const organizationName = names.get(organizationId);
      return organizationName === undefined
        ? []
        : [{ invitationId: _id, organizationId, organizationName, role, expiresAt }];
    });
  };
  const waiting = (email: string, now: Date) => ({ email, status: 'pending' as const, expiresAt: { $gt: now } });
  return {
    async organizationsOf(userId) {
      const rows = await members.find({ userId }).sort({ createdAt: 1 }).limit(most).toArray();
      const names = await namesOf(rows.map(({ organizationId }) => organizationId));
      return rows.flatMap(({ organizationId, role }) => {
        const name = names.get(organizationId);
        return name === undefined ? [] : [{ organizationId, name, role }];
      });
    },
    async invitationsFor(email, now) {
      return withNames(await invitations.find(waiting(email, now)).sort({ createdAt: -1 }).limit(most).toArray());
    },
    async invitation(invitationId, email, now) {
      const row = await invitations.findOne({ _id: invitationId, ...waiting(email, now) });
      return row === null ? null : ((await withNames([row]))[0] ?? null);
    },
    async settle(invitationId, email, { to, now }) {
      const filter = { _id: invitationId, ...waiting(email, now) };
      return (await invitations.updateOne(filter, { $set: { status: to } })).matchedCount === 1;
    },
    async reopen(invitationId) {
      await invitations.updateOne({ _id: invitationId, status: 'accepted' }, { $set: { status: 'pending' } });
    },
    insertOrganization: (organization) => insertOnce(() => organizations.insertOne(organization)),
    async insertProject(project) {
      await insertOnce(() => projects.insertOne(project));
    },
  };
}
