import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';
import { looksLikeLinkSecret } from '#src/domain/access/link-secret.ts';
import { hashSecret } from '#src/domain/access/oauth/secrets.ts';
import type { OrganizationRecord } from '#src/domain/access/organization.ts';
import { idPrefixes } from '#src/domain/ids.ts';
import type { Affiliation, Invitee, WaitingInvitation } from '#src/domain/access/member.ts';

const most = 100;
/** Longer than the time between inserting an organization and its founder. */
const graceMs = 60_000;

/** False when a unique index refuses the write. */
async function unlessThere(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Memberships and invitations of a user: read by user id and email address, never by organization alone. */
export function createAffiliations({
  organizations,
  members,
  invitations,
  users,
  accountTokens,
}: Pick<Collections, 'organizations' | 'members' | 'invitations' | 'users' | 'accountTokens'>) {
  const organizationsAmong = async (ids: readonly string[]): Promise<ReadonlyMap<string, OrganizationRecord>> => {
    if (ids.length === 0) return new Map();
    const found = await organizations.find({ _id: { $in: [...ids] } }).toArray();
    return new Map(found.map((organization) => [organization._id, organization]));
  };
  const open = (email: string, now: Date) => ({ email, status: 'pending' as const, expiresAt: { $gt: now } });
  const keyOf = async (key: string, { email, isVerified }: Invitee, now: Date) => {
    if (key.startsWith(`${idPrefixes.invitation}_`))
      return isVerified ? { filter: { _id: key }, isProven: true } : null;
    if (!looksLikeLinkSecret(key)) return null;
    const hash = hashSecret(key);
    const mailed = await accountTokens.findOne({ _id: hash, email, expiresAt: { $gt: now } });
    if (mailed === null) return { filter: { linkHash: hash }, isProven: false };
    const { grant } = mailed;
    return grant.kind === 'invitation' ? { filter: { _id: grant.invitationId }, isProven: true } : null;
  };
  /** Frees the slug of an organization whose founder was never inserted: after the grace time no user can enter it. */
  const freeSlug = async (slug: string, now: Date): Promise<void> => {
    const createdAt = { $lt: new Date(now.getTime() - graceMs) };
    const holder = await organizations.findOne({ slug, createdAt }, { projection: { _id: 1 } });
    if (holder === null || (await members.findOne({ organizationId: holder._id })) !== null) return;
    await organizations.updateOne({ _id: holder._id, slug }, { $unset: { slug: 1 } });
  };
  return {
    /** Lists organizations, oldest membership first, at most 100. */
    async organizationsOf(userId: string): Promise<readonly Affiliation[]> {
      const rows = await members.find({ userId }).sort({ createdAt: 1 }).limit(most).toArray();
      const found = await organizationsAmong(rows.map(({ organizationId }) => organizationId));
      return rows.flatMap(({ organizationId, role, projectRoles = {} }) => {
        const organization = found.get(organizationId);
        if (organization === undefined) return [];
        const { name, requiresSecondFactor = false } = organization;
        return [{ organizationId, name, role, projectRoles, requiresSecondFactor }];
      });
    },
    /** True when a mail confirmed the address of the user. */
    async isVerified(userId: string): Promise<boolean> {
      return (await users.findOne({ _id: userId }, { projection: { emailVerified: 1 } }))?.emailVerified === true;
    },
    /**
     * Finds an invitation by the secret of its link, by a secret that was mailed, or, for a confirmed address, by its id. null for one that
     * is not pending, or of another address.
     */
    async invitation(key: string, invitee: Invitee, now: Date): Promise<WaitingInvitation | null> {
      const found = await keyOf(key, invitee, now);
      if (found === null) return null;
      const row = await invitations.findOne({ ...found.filter, ...open(invitee.email, now) });
      if (row === null) return null;
      const { _id: invitationId, organizationId, role, expiresAt } = row;
      const organizationName = (await organizationsAmong([organizationId])).get(organizationId)?.name;
      return organizationName === undefined
        ? null
        : { invitationId, organizationId, organizationName, role, expiresAt, isProven: found.isProven };
    },
    /** True for one caller only. False when no such invitation of this address is pending. */
    async settle(
      invitationId: string,
      email: string,
      { to, now }: { readonly to: 'accepted' | 'rejected'; readonly now: Date },
    ): Promise<boolean> {
      const filter = { _id: invitationId, ...open(email, now) };
      return (await invitations.updateOne(filter, { $set: { status: to } })).matchedCount === 1;
    },
    /** Reopens an accepted invitation whose membership could not be stored. It stays closed if the address was invited again. */
    async reopen(invitationId: string): Promise<void> {
      // An address has one pending invitation: a later one has replaced this.
      await unlessThere(() =>
        invitations.updateOne({ _id: invitationId, status: 'accepted' }, { $set: { status: 'pending' } }),
      );
    },
    /** False when the slug is taken. An organization without a member for a minute loses its slug. */
    async insertOrganization(organization: {
      readonly _id: string;
      readonly name: string;
      readonly slug: string;
      readonly createdAt: Date;
    }): Promise<boolean> {
      const insert = () => unlessThere(() => organizations.insertOne(organization));
      if (await insert()) return true;
      await freeSlug(organization.slug, organization.createdAt);
      return insert();
    },
  };
}

/**
 * Memberships and invitations of a user, the only data read without an organization. An invitation is found by a
 * secret, or by its id for a confirmed address, always together with the invited address.
 */
export type Affiliations = ReturnType<typeof createAffiliations>;
