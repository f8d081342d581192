import type { OAuthGrant, OAuthToken } from '#src/domain/ports/oauth.ts';
import type { Role } from '#src/domain/access/role.ts';

/** All that decides what an access token opens, as it is stored now. */
export interface TokenAccess {
  readonly token: OAuthToken;
  readonly grant: OAuthGrant;
  /** The grant's user in the grant's organization; null: no member, or no more. */
  readonly member: { readonly name: string; readonly email: string; readonly role: Role } | null;
  /** null: there is none any more. */
  readonly organizationName: string | null;
  /** Those of the grant that are the organization's. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

/** What the MCP service asks with every call. Lookups by secret hash: they tell the tenant. */
export interface TokenAccessReader {
  /**
   * By the SHA-256 of the token, in one round trip; null for an unknown one, or one whose grant is gone. Never older than the call:
   * nothing is kept. Error: `service.unavailable`.
   */
  find(hash: string): Promise<TokenAccess | null>;
}
