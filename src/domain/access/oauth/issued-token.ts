/** Claims of an access token of an external authorization server. Source: RFC 9068 §2.2. */
export interface IssuedToken {
  readonly subject: string;
  /** The program: `client_id` or `azp`; null where the issuer names none. */
  readonly clientId: string | null;
  /** Name of the user at the issuer, for records; null if the token has none. */
  readonly name: string | null;
  /** As the issuer names them: whoever reads them takes those that are known here. */
  readonly scopes: readonly string[];
  /** Claim `organization_id`. */
  readonly organizationId: string;
  /** Claim `project_ids`; null: all of the organization. */
  readonly projectIds: readonly string[] | null;
}
