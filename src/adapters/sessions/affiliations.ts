import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import type { Affiliations } from '#src/domain/ports/sessions.ts';

const most = 100;
/** Longer than it takes from an organization to its founder. */
const graceMs = 60_000;

/** False where a unique index refuses it. */
async function unlessThere(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** What a person belongs to and is invited to: asked by user id and by address, never by organization alone. */
export function createAffiliations({
  organizations,
  members,
  invitations,
}: Pick<Collections, 'organizations' | 'members' | 'invitations'>): Affiliations {
  const namesOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    if (ids.length === 0) return new Map();
    const found = await organizations.find({ _id: { $in: [...ids] } }, { projection: { name: 1 } }).toArray();
    return new Map(found.map(({ _id, name }) => [_id, name]));
  };
  const waiting = (invitationId: string, email: string, now: Date) => ({
    _id: invitationId,
    email,
    status: 'pending' as const,
    expiresAt: { $gt: now },
  });
  /** The founder comes right after the organization: one that is older and has nobody was cut short, and nobody can enter it. */
  const freeSlug = async (slug: string, now: Date): Promise<void> => {
    const createdAt = { $lt: new Date(now.getTime() - graceMs) };
    const holder = await organizations.findOne({ slug, createdAt }, { projection: { _id: 1 } });
    if (holder === null || (await members.findOne({ organizationId: holder._id })) !== null) return;
    await organizations.updateOne({ _id: holder._id, slug }, { $unset: { slug: 1 } });
  };
  return {
    async organizationsOf(userId) {
      const rows = await members.find({ userId }).sort({ createdAt: 1 }).limit(most).toArray();
      const names = await namesOf(rows.map(({ organizationId }) => organizationId));
      return rows.flatMap(({ organizationId, role }) => {
        const name = names.get(organizationId);
        return name === undefined ? [] : [{ organizationId, name, role }];
      });
    },
    async invitation(invitationId, email, now) {
      const row = await invitations.findOne(waiting(invitationId, email, now));
      if (row === null) return null;
      const { organizationId, role, expiresAt } = row;
      const organizationName = (await namesOf([organizationId])).get(organizationId);
      return organizationName === undefined
        ? null
        : { invitationId, organizationId, organizationName, role, expiresAt };
    },
    async settle(invitationId, email, { to, now }) {
      const filter = waiting(invitationId, email, now);
      return (await invitations.updateOne(filter, { $set: { status: to } })).matchedCount === 1;
    },
    async reopen(invitationId) {
      // Of one address a single invitation waits; a later one has replaced this.
      await unlessThere(() =>
        invitations.updateOne({ _id: invitationId, status: 'accepted' }, { $set: { status: 'pending' } }),
      );
    },
    async insertOrganization(organization) {
      const insert = () => unlessThere(() => organizations.insertOne(organization));
      if (await insert()) return true;
      await freeSlug(organization.slug, organization.createdAt);
      return insert();
    },
  };
}
