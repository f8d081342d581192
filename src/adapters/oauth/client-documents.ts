import { InkgraphError } from '#src/domain/app-error.ts';
import { isRedirectAllowed } from '#src/domain/access/oauth/redirect.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import type { OutboundAnswer } from '#src/domain/ports/outbound.ts';
import type { OAuthClient, OAuthGrantType } from '#src/domain/access/oauth/records.ts';

const mostAddressCharacters = 500;
const mostRedirectUris = 20;
const grantTypes = ['authorization_code', 'refresh_token'] as const satisfies readonly OAuthGrantType[];

/** The document does not describe a client of its address. The message is for the log: it quotes the document, shortened. */
export class ClientMetadataError extends InkgraphError {}

/** Accepts canonical addresses only, since client ids are compared as text. Source: draft-ietf-oauth-client-id-metadata-document §3. */
export function isDocumentAddress(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > mostAddressCharacters) return false;
  const url = URL.parse(clientId);
  if (url === null || url.href !== clientId || clientId.includes('#')) return false;
  return url.username === '' && url.password === '' && url.pathname !== '/';
}

function jsonOf({ status, headers, body }: OutboundAnswer): Readonly<Record<string, unknown>> {
  if (status !== 200) throw new ClientMetadataError(`it answered ${status}`);
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new ClientMetadataError('it is not served as JSON');
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch (error) {
    throw new ClientMetadataError('it is not JSON', { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ClientMetadataError('it is not a JSON object');
  return value as Record<string, unknown>;
}

function texts(value: unknown, name: string, most: number): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > most)
    throw new ClientMetadataError(`${name} is not a list of 1 to ${most}`);
  if (!value.every((one) => typeof one === 'string'))
    throw new ClientMetadataError(`${name} has more than texts in it`);
  return value;
}

/** Clients that prefer to sign may list `none` too, because the metadata of this server offer nothing else. */
function mayBePublic(document: Readonly<Record<string, unknown>>): boolean {
  const method = document['token_endpoint_auth_method'];
  const others = document['token_endpoint_auth_methods_supported'];
  return method === undefined || method === 'none' || (Array.isArray(others) && others.includes('none'));
}

/**
 * Reads the client that a document describes. It is a public client: there is no shared secret. Other members, such as a logo, are
 * neither fetched nor stored. Throws ClientMetadataError. Source: draft-ietf-oauth-client-id-metadata-document §4; RFC 7591 §2.
 */
export function readClientDocument(clientId: string, answer: OutboundAnswer, now: Date): OAuthClient {
  const document = jsonOf(answer);
  if (document['client_id'] !== clientId) throw new ClientMetadataError('its client_id is not its address');
  if (document['client_secret'] !== undefined || document['client_secret_expires_at'] !== undefined)
    throw new ClientMetadataError('a document has no secret');
  if (!mayBePublic(document)) throw new ClientMetadataError('its token_endpoint_auth_method is not none');
  const redirectUris = texts(document['redirect_uris'], 'redirect_uris', mostRedirectUris);
  if (!redirectUris.every(isRedirectAllowed)) throw new ClientMetadataError('a redirect URI of it is not acceptable');
  const named =
    document['grant_types'] === undefined ? [grantTypes[0]] : texts(document['grant_types'], 'grant_types', 20);
  const responseTypes = document['response_types'];
  if (responseTypes !== undefined && !texts(responseTypes, 'response_types', 20).includes('code'))
    throw new ClientMetadataError('it does not ask for codes');
  const name = document['client_name'];
  return {
    _id: clientId,
    origin: 'document',
    name: plainName({ _id: new URL(clientId).host, name: typeof name === 'string' ? name : '' }),
    redirectUris,
    grantTypes: grantTypes.filter((type) => named.includes(type)),
    authMethod: 'none',
    secretHash: null,
    organizationId: null,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
  };
}

const minuteSeconds = 60;
const daySeconds = 24 * 3_600;
/** Bounds of the Cache-Control of a document, and the default without one. */
const leastSeconds = 5 * minuteSeconds;
const usualSeconds = 3_600;

/** Freshness lifetime of a document in milliseconds. Source: RFC 9111 §5.2.2. */
export function freshFor({ headers }: Pick<OutboundAnswer, 'headers'>): number {
  const control = headers['cache-control'] ?? '';
  const age = /(?:^|[,\s])max-age="?(\d{1,9})/i.exec(control)?.[1];
  const seconds = /no-store|no-cache/i.test(control) ? 0 : Number(age ?? usualSeconds);
  return Math.min(Math.max(seconds, leastSeconds), daySeconds) * 1_000;
}
