import type { Collections, MemberRow, PasskeyRow, UserRow } from '#src/stores/collections.ts';
import { batchedReads } from '#src/concurrency/batched-reads.ts';
import type { OAuthGrant, OAuthToken } from '#src/domain/access/oauth/records.ts';
import type { ProjectRecord } from '#src/domain/access/organization.ts';
import type { ProjectRoles } from '#src/domain/access/member.ts';
import type { Role } from '#src/contracts/organization/member.ts';

/** Stored facts that decide the access of an access token, as of now. */
export interface TokenAccess {
  readonly token: OAuthToken;
  readonly grant: OAuthGrant;
  /** Membership of the grant's user in the grant's organization. null: there is none, or not any more. */
  readonly member: {
    readonly name: string;
    readonly email: string;
    readonly role: Role;
    readonly projectRoles: ProjectRoles;
  } | null;
  /** The organization demands a second factor, and the grant's user has none. */
  readonly lacksSecondFactor: boolean;
  /** null: it does not exist any more. */
  readonly organizationName: string | null;
  /** Projects of the grant that belong to the organization. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

interface Joined extends OAuthToken {
  readonly grants: readonly OAuthGrant[];
  readonly memberships: readonly MemberRow[];
  readonly users: readonly UserRow[];
  readonly passkeys: readonly Pick<PasskeyRow, '_id'>[];
  readonly projects: readonly ProjectRecord[];
  readonly organizations: readonly { readonly name: string; readonly requiresSecondFactor?: boolean }[];
}

const join = (from: keyof Collections, localField: string, foreignField: string, as: string) => ({
  $lookup: { from, localField, foreignField, as },
});

/** Every read uses an index: ids, and the memberships of one user. */
const joins = [
  join('oauthGrants', 'grantId', '_id', 'grants'),
  join('members', 'grants.userId', 'userId', 'memberships'),
  join('users', 'grants.userId', '_id', 'users'),
  join('passkeys', 'grants.userId', 'userId', 'passkeys'),
  join('projects', 'grants.projectIds', '_id', 'projects'),
  join('organizations', 'grants.organizationId', '_id', 'organizations'),
];

function accessOf({
  grants,
  memberships,
  users,
  passkeys,
  projects,
  organizations,
  ...token
}: Joined): TokenAccess | null {
  const [grant] = grants;
  if (grant === undefined) return null;
  const here = ({ organizationId }: { readonly organizationId: string }): boolean =>
    organizationId === grant.organizationId;
  const membership = memberships.find(here);
  const [user] = users;
  return {
    token,
    grant,
    member:
      membership === undefined || user === undefined
        ? null
        : {
            name: user.name,
            email: user.email,
            role: membership.role,
            projectRoles: membership.projectRoles ?? {},
          },
    lacksSecondFactor:
      organizations[0]?.requiresSecondFactor === true && user?.twoFactorEnabled !== true && passkeys.length === 0,
    organizationName: organizations[0]?.name ?? null,
    projects: projects.filter(here).map(({ _id: id, name }) => ({ id, name })),
  };
}

/** Concurrent calls of all users share one read. */
export function createTokenAccessReader({ oauthTokens }: Pick<Collections, 'oauthTokens'>) {
  const read = batchedReads<TokenAccess>(async (hashes) => {
    const rows = await oauthTokens.aggregate<Joined>([{ $match: { _id: { $in: [...hashes] } } }, ...joins]).toArray();
    return new Map(
      rows.flatMap((row) => {
        const access = accessOf(row);
        return access === null ? [] : [[row._id, access]];
      }),
    );
  });
  return {
    /**
     * Looks up a token by its SHA-256, in one round trip. null for an unknown token, or one whose grant is gone. Never cached, so never
     * older than the call. Error: `service.unavailable`.
     */
    find: async (hash: string): Promise<TokenAccess | null> => (await read(hash)) ?? null,
  };
}

/** Access reads of every MCP call. Reads by secret hash find the tenant. */
export type TokenAccessReader = ReturnType<typeof createTokenAccessReader>;
