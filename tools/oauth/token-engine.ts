import OAuth2Server from '@node-oauth/oauth2-server';
import { Exchange, type Entitlement, type ExchangeParts, type TokenRequest } from '#tools/oauth/exchange.ts';
import { lifetimes } from '#src/domain/access/oauth/lifetimes.ts';
import { requireParameter, type FormParameters } from '#src/domain/access/oauth/parameters.ts';
import { OAuthError, oauthErrors, type OAuthErrorCode } from '#src/domain/access/oauth/oauth-error.ts';
import { scopeText } from '#src/domain/access/oauth/granted-scopes.ts';
import { newOAuthSecret } from '#src/domain/access/oauth/secrets.ts';
import type { OAuthGrantType } from '#src/domain/access/oauth/records.ts';
import type { TokenReply } from '#tools/oauth/present-token.ts';

/** Answers the token endpoint. */
export interface TokenEngine {
  /** Errors: those of RFC 6749 §5.2 except `invalid_client`, and `invalid_target`. */
  exchange(request: TokenRequest): Promise<TokenReply>;
}

const grantTypes: readonly string[] = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
] satisfies OAuthGrantType[];

/** Format of `code_verifier`: RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/** Checks that the library leaves out: PKCE is required, and so is `redirect_uri`, because every authorization request has one. */
function checkGuards({ client, parameters }: TokenRequest): void {
  const grantType = requireParameter(parameters, 'grant_type');
  if (!grantTypes.includes(grantType))
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of ${grantTypes.join(' ')}`);
  if (!client.grantTypes.includes(grantType as OAuthGrantType))
    throw new OAuthError('unauthorized_client', 'this client is not registered for this grant_type');
  if (grantType === 'refresh_token') requireParameter(parameters, 'refresh_token');
  if (grantType !== 'authorization_code') return;
  for (const name of ['code', 'redirect_uri']) requireParameter(parameters, name);
  if (!verifierForm.test(requireParameter(parameters, 'code_verifier')))
    throw new OAuthError('invalid_request', 'code_verifier must have 43 to 128 unreserved characters');
}

interface Held {
  readonly entitled: Entitlement;
}
const heldBy = (user: OAuth2Server.User): Entitlement => (user as Held).entitled;

type Model = OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel & OAuth2Server.ClientCredentialsModel;

/** Model of `@node-oauth/oauth2-server` over our `Exchange`. The library's user carries the `Entitlement`. */
function modelOf(exchange: Exchange, { client }: TokenRequest): Model {
  const asClient = { id: client._id, grants: [...client.grantTypes] };
  const never = (): Promise<never> => Promise.reject(new Error('the library is asked for tokens only'));
  return {
    // The client is authenticated before: given a `code_verifier`, the library would accept a confidential client without its secret.
    getClient: (clientId) => Promise.resolve(clientId === client._id ? asClient : null),
    async getAuthorizationCode(authorizationCode) {
      const { codeChallenge, expiresAt, ...entitled } = await exchange.ofCode(authorizationCode);
      const user: Held = { entitled };
      // `Exchange` has compared the redirect URI already.
      const rest = { redirectUri: '', scope: [...entitled.scopes], codeChallenge, codeChallengeMethod: 'S256' };
      return { authorizationCode, expiresAt, client: asClient, user, ...rest };
    },
    async revokeAuthorizationCode({ authorizationCode }) {
      await exchange.useCode(authorizationCode);
      return true;
    },
    async getRefreshToken(refreshToken) {
      const { expiresAt, ...entitled } = await exchange.ofRefreshToken(refreshToken);
      const user: Held = { entitled };
      return { refreshToken, refreshTokenExpiresAt: expiresAt, scope: [...entitled.scopes], client: asClient, user };
    },
    async revokeToken({ refreshToken }) {
      await exchange.useRefreshToken(refreshToken);
      return true;
    },
    getUserFromClient: async () => ({ entitled: await exchange.ofClient() }),
    validateScope: (user) => Promise.resolve([...heldBy(user).scopes]),
    generateAccessToken: () => Promise.resolve(newOAuthSecret('access')),
    generateRefreshToken: () => Promise.resolve(newOAuthSecret('refresh')),
    async saveToken(token, tokenClient, user) {
      const entitled = heldBy(user);
      const refreshToken = entitled.grant.offline ? (token.refreshToken ?? null) : null;
      const { accessToken } = token;
      const accessTokenExpiresAt = await exchange.save(entitled, { access: accessToken, refresh: refreshToken });
      return {
        accessToken,
        accessTokenExpiresAt,
        ...(refreshToken !== null && { refreshToken }),
        scope: [...entitled.scopes],
        client: tokenClient,
        user,
      };
    },
    getAccessToken: never,
    saveAuthorizationCode: never,
  };
}

/** Unwraps our own error from the library's error, and converts the library's own errors. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError)) return error;
  const { inner } = error as { inner?: unknown };
  if (inner instanceof Error) return problemOf(inner);
  if (!(error.name in oauthErrors) || error.name === 'server_error') return error;
  return new OAuthError(error.name as OAuthErrorCode, error.message.replaceAll(/["\\]|[^ -~]/g, ''));
}

/** Builds a request for the library from the parameters alone, so that it reads no header of the original. */
function asLibraryRequest(parameters: FormParameters, clientId: string): OAuth2Server.Request {
  const { scope: _, client_secret: __, ...body } = Object.fromEntries(parameters);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  return new OAuth2Server.Request({ method: 'POST', headers, query: {}, body: { ...body, client_id: clientId } });
}

/**
 * Runs the grant types of `@node-oauth/oauth2-server` over our store. Three checks are our own: client authentication, required PKCE, and
 * scopes before a refresh token is consumed. Source: docs/decisions/0043.
 */
export function createTokenEngine(parts: ExchangeParts): TokenEngine {
  const options = {
    accessTokenLifetime: lifetimes.accessMs / 1_000,
    refreshTokenLifetime: lifetimes.refreshMs / 1_000,
    requireClientAuthentication: { authorization_code: false, refresh_token: false, client_credentials: false },
  };
  return {
    async exchange(request) {
      checkGuards(request);
      const { parameters, client, now } = request;
      const server = new OAuth2Server({ model: modelOf(new Exchange(parts, request), request), ...options });
      try {
        const token = await server.token(asLibraryRequest(parameters, client._id), new OAuth2Server.Response());
        const { accessToken, accessTokenExpiresAt = now, refreshToken } = token;
        const { grant, scopes } = heldBy(token.user);
        return {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: Math.floor((accessTokenExpiresAt.getTime() - now.getTime()) / 1_000),
          ...(refreshToken !== undefined && { refresh_token: refreshToken }),
          scope: scopeText(scopes, grant.offline),
        };
      } catch (error) {
        throw problemOf(error);
      }
    },
  };
}
