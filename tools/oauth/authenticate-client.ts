import type { FormParameters } from '#src/domain/access/oauth/parameters.ts';
import type { DocumentTrouble } from '#src/domain/access/oauth/document-support.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { hashSecret, secretMatches } from '#src/domain/access/oauth/secrets.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/** Finds registered clients and clients described by a metadata document, which it fetches with limits and caches. */
export interface ClientDirectory {
  /**
   * Returns null for an unknown client and for an unusable metadata document. `kept` fetches no document, for callers that have proven
   * nothing yet. Error: `service.unavailable`.
   */
  find(clientId: string, how?: 'kept'): Promise<OAuthClient | null>;
  /** Reason for which a client that was not found has no document here; null: it is unknown for another reason. */
  trouble(clientId: string): DocumentTrouble | null;
}

interface Credentials {
  readonly clientId: string;
  readonly secret: string | null;
}

/** Same error for an unknown client and a missing or wrong secret: a different one would reveal which clients exist. */
const refused = (): OAuthError =>
  new OAuthError('invalid_client', 'client authentication failed: check client_id and client_secret');

const noDocuments = (): OAuthError =>
  new OAuthError(
    'invalid_client',
    'this server accepts no client metadata documents (OAUTH_CLIENT_METADATA=off): register the client',
  );

/** Both halves are form-encoded before they are joined: RFC 6749 §2.3.1. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) throw refused();
    throw error;
  }
}

function fromBasic(authorization: string): Credentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization) ?? [];
  const [, clientId, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (clientId === undefined || secret === undefined) throw refused();
  return { clientId: formDecoded(clientId), secret: secret === '' ? null : formDecoded(secret) };
}

function credentialsOf(authorization: string | undefined, parameters: FormParameters): Credentials {
  const [named, posted] = [parameters.get('client_id'), parameters.get('client_secret')];
  if (authorization === undefined) {
    if (named === undefined) throw refused();
    return { clientId: named, secret: posted ?? null };
  }
  const basic = fromBasic(authorization);
  if (posted !== undefined || (named !== undefined && named !== basic.clientId))
    throw new OAuthError(
      'invalid_request',
      'send the client credentials either in the Authorization header or in the body, not in both',
    );
  return basic;
}

type Issued = Pick<OAuthStore, 'findCode' | 'findToken'>;

/** True if the request carries a code or token that was issued to this client, expired and used ones included. */
async function holdsSomething(store: Issued, clientId: string, parameters: FormParameters): Promise<boolean> {
  const [code, token] = [parameters.get('code'), parameters.get('refresh_token') ?? parameters.get('token')];
  const [issuedCode, issuedToken] = await Promise.all([
    code === undefined ? null : store.findCode(hashSecret(code)),
    token === undefined ? null : store.findToken(hashSecret(token)),
  ]);
  return issuedCode?.clientId === clientId || issuedToken?.clientId === clientId;
}

/**
 * Identifies the client of a request: a confidential one by its secret, from header or body; a public one by its id, which proves
 * nothing. Errors: `invalid_client`, `invalid_request`. Source: RFC 6749 §2.3, §3.2.1.
 */
export async function authenticateClient(
  { clients, store }: { readonly clients: ClientDirectory; readonly store: Issued },
  authorization: string | undefined,
  parameters: FormParameters,
): Promise<OAuthClient> {
  const { clientId, secret } = credentialsOf(authorization, parameters);
  // Prevents server-side requests for strangers: the document is fetched only for a caller that holds a code or token of its client.
  const isVouched = !clientId.includes(':') || (await holdsSomething(store, clientId, parameters));
  const client = await (isVouched ? clients.find(clientId) : clients.find(clientId, 'kept'));
  if (client === null) throw clients.trouble(clientId) === 'off' ? noDocuments() : refused();
  // A public client has no secret, so a request with one means a different client.
  const proven =
    client.secretHash === null ? secret === null : secret !== null && secretMatches(client.secretHash, secret);
  if (!proven) throw refused();
  return client;
}
