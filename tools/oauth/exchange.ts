import type { FormParameters } from '#src/domain/access/oauth/parameters.ts';
import type { GrantScope } from '#src/contracts/scopes.ts';
import { endFamily } from '#tools/oauth/end-family.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { machineGrantId } from '#tools/oauth/issue.ts';
import { lifetimes } from '#src/domain/access/oauth/lifetimes.ts';
import { namesResource } from '#src/domain/access/oauth/resource.ts';
import { narrowScopes, presentScopes } from '#src/domain/access/oauth/granted-scopes.ts';
import { hashSecret, looksLikeOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import { activeGrant } from '#tools/oauth/active-grant.ts';
import type { AuditLog } from '#src/stores/audit-log.ts';
import type { OAuthClient, OAuthGrant, OAuthToken } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';
import type { MemberStore } from '#src/stores/members.ts';

export interface ExchangeParts {
  readonly store: OAuthStore;
  readonly members: Pick<MemberStore, 'membership'>;
  readonly audit: Pick<AuditLog, 'during'>;
}

/** One request to the token endpoint, from an authenticated client. */
export interface TokenRequest {
  readonly client: OAuthClient;
  readonly parameters: FormParameters;
  readonly ip: string | null;
  /** Arrival time of the complete request: a code or token used before that time is a replay. */
  readonly now: Date;
}

/** Contents of new tokens, the same for every grant type. */
export interface Entitlement {
  readonly grant: OAuthGrant;
  readonly family: string;
  /** Scopes of the access token. */
  readonly scopes: readonly GrantScope[];
  /** Scopes of the refresh token: never fewer than those of the previous one (RFC 6749 §6). */
  readonly refreshScopes: readonly GrantScope[];
  readonly resource: string;
}

type Single = 'code' | 'refresh token';

interface Spent {
  readonly grantId: string;
  readonly family: string;
  readonly consumedAt: Date | null;
}

const deadGrant = (what: string): OAuthError =>
  new OAuthError('invalid_grant', `the ${what} is unknown, used, expired or revoked, or was issued to another client`);

/**
 * Checks codes, refresh tokens and client grants, then consumes them with one conditional update, so that each works once. Using one a
 * second time revokes its whole family. Errors: `invalid_grant`, `invalid_scope`, `invalid_target`. Source: RFC 6749 §4.1.3, §6;
 * RFC 9700 §4.14; docs/decisions/0043.
 */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #request: TokenRequest;

  constructor(parts: ExchangeParts, request: TokenRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  /** Requires an unused code of this client for this redirect URI. */
  async ofCode(code: string): Promise<Entitlement & { readonly codeChallenge: string; readonly expiresAt: Date }> {
    const { client, parameters, now } = this.#request;
    const record = looksLikeOAuthSecret('code', code) ? await this.#parts.store.findCode(hashSecret(code)) : null;
    if (record === null || record.clientId !== client._id) throw deadGrant('code');
    if (record.consumedAt !== null) throw await this.#replayed('code', { ...record, family: record._id });
    if (record.expiresAt <= now) throw deadGrant('code');
    if (parameters.get('redirect_uri') !== record.redirectUri)
      throw new OAuthError(
        'invalid_grant',
        'redirect_uri differs from that of the authorization request: send the same one',
      );
    const grant = await this.#activeGrant(record.grantId, 'code');
    const { scopes, resource, codeChallenge, expiresAt } = record;
    this.#checkResource(resource);
    return { grant, family: record._id, scopes, refreshScopes: scopes, resource, codeChallenge, expiresAt };
  }

  async useCode(code: string): Promise<void> {
    const used = await this.#parts.store.consumeCode(hashSecret(code), new Date());
    if (used?.outcome === 'replayed') throw await this.#replayed('code', { ...used.record, family: used.record._id });
    if (used === null) throw deadGrant('code');
  }

  /** Requires an unused refresh token of this client, for no more scopes than it has. */
  async ofRefreshToken(token: string): Promise<Entitlement & { readonly expiresAt: Date }> {
    const { client, parameters, now } = this.#request;
    const record = looksLikeOAuthSecret('refresh', token) ? await this.#parts.store.findToken(hashSecret(token)) : null;
    if (record?.kind !== 'refresh' || record.clientId !== client._id) throw deadGrant('refresh token');
    const { grantId, family, resource, scopes, expiresAt } = record;
    if (record.consumedAt !== null) throw await this.#replayed('refresh token', record);
    if (expiresAt <= now) throw deadGrant('refresh token');
    const grant = await this.#activeGrant(grantId, 'refresh token');
    this.#checkResource(resource);
    const narrowed = narrowScopes(parameters.get('scope'), presentScopes(scopes, grant), grant.offline);
    return { grant, family, scopes: narrowed, refreshScopes: scopes, resource, expiresAt };
  }

  async useRefreshToken(token: string): Promise<void> {
    const used = await this.#parts.store.consumeRefreshToken(hashSecret(token), new Date());
    if (used?.outcome === 'replayed') throw await this.#replayed('refresh token', used.record);
    if (used === null) throw deadGrant('refresh token');
  }

  /** Reads the grant that the organization gave to the client itself. */
  async ofClient(): Promise<Entitlement> {
    const { client, parameters } = this.#request;
    const grant = await this.#activeGrant(machineGrantId(client._id), 'grant of this client');
    this.#checkResource(grant.resource);
    const scopes = narrowScopes(parameters.get('scope'), grant.scopes, false);
    // Without refresh tokens there is nothing to replay; revoking the grant ends all tokens.
    return { grant, family: grant._id, scopes, refreshScopes: [], resource: grant.resource };
  }

  /** Stores new tokens, none of which outlives the grant. Returns the end of the access token. */
  async save(entitled: Entitlement, secrets: { access: string; refresh: string | null }): Promise<Date> {
    const { grant, family, resource, scopes, refreshScopes } = entitled;
    const { client, now } = this.#request;
    const until = (ms: number): Date => {
      const end = new Date(now.getTime() + ms);
      return grant.expiresAt !== null && grant.expiresAt < end ? grant.expiresAt : end;
    };
    const common = { grantId: grant._id, family, clientId: client._id, resource, createdAt: now, consumedAt: null };
    const expiresAt = until(lifetimes.accessMs);
    const access: OAuthToken = { _id: hashSecret(secrets.access), kind: 'access', scopes, expiresAt, ...common };
    const tokens: OAuthToken[] = [access];
    if (secrets.refresh !== null)
      tokens.push({
        _id: hashSecret(secrets.refresh),
        kind: 'refresh',
        scopes: refreshScopes,
        expiresAt: until(lifetimes.refreshMs),
        ...common,
      });
    await this.#traced(entitled, () => this.#parts.store.insertTokens(tokens));
    return expiresAt;
  }

  /** Audits the code exchange, which happens once for each grant; other exchanges only update the time of last use. */
  async #traced({ grant, scopes }: Entitlement, store: () => Promise<void>): Promise<void> {
    const { client, parameters, now, ip } = this.#request;
    const { _id: target, organizationId } = grant;
    const detail = { clientId: client._id, scopes };
    const entry = { organizationId, actor: client._id, action: 'grant.use', target, detail, ip };
    if (parameters.get('grant_type') !== 'authorization_code') await store();
    else
      await this.#parts.audit.during(entry, async (deed) => {
        await store();
        await deed.done();
      });
    await Promise.all([this.#parts.store.touchGrant(organizationId, target, now), this.#touchClient()]);
  }

  /** Marks a registered client as used, so that it is not cleaned up. The client directory expires copies of metadata documents. */
  async #touchClient(): Promise<void> {
    const { client, now } = this.#request;
    const { origin, lastUsedAt, expiresAt } = client;
    if (origin === 'document' || (lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < 3_600_000)) return;
    const end = origin === 'registered' ? new Date(now.getTime() + lifetimes.idleClientMs) : expiresAt;
    await this.#parts.store.touchClient(client._id, now, end);
  }

  async #activeGrant(grantId: string, what: string): Promise<OAuthGrant> {
    const grant = await activeGrant(this.#parts, grantId, this.#request.now);
    if (grant === null || grant.clientId !== this.#request.client._id) throw deadGrant(what);
    return grant;
  }

  /** RFC 8707 §2.2: without `resource`, the granted one applies. */
  #checkResource(granted: string): void {
    const asked = this.#request.parameters.get('resource');
    if (asked !== undefined && !namesResource(asked, granted))
      throw new OAuthError(
        'invalid_target',
        'resource differs from the granted one: send the same one, or leave it out',
      );
  }

  /**
   * Revokes the family on a replay: one of the two users may be a thief, and the server cannot know which. Two concurrent requests, such
   * as a client that retries before it has the answer, revoke nothing: the second only fails.
   */
  async #replayed(what: Single, { grantId, family, consumedAt }: Spent): Promise<OAuthError> {
    const { client, now, ip } = this.#request;
    const { store, audit } = this.#parts;
    if (consumedAt !== null && consumedAt > now) return deadGrant(what);
    const grant = await store.findGrant(grantId);
    if (grant === null) await endFamily(store, { grantId, family }, now);
    else {
      const { organizationId } = grant;
      const detail = { clientId: client._id, what };
      const entry = { organizationId, actor: client._id, action: 'grant.replay', target: grantId, detail, ip };
      await audit.during(entry, async (deed) => {
        if ((await endFamily(store, { grantId, family }, now)) !== null) await deed.done();
      });
    }
    return deadGrant(what);
  }
}
