import type { FormParameters } from '#src/domain/access/oauth/parameters.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { hashSecret, secretMatches } from '#src/domain/access/oauth/secrets.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/** Finds clients, metadata documents included, which it fetches within bounds and keeps for a while. */
export interface ClientDirectory {
  /**
   * null: unknown, or its document cannot be had or used. `kept`: for somebody who could be anybody; no document is fetched. Faults:
   * `service.unavailable`.
   */
  find(clientId: string, how?: 'kept'): Promise<OAuthClient | null>;
}

interface Credentials {
  readonly clientId: string;
  readonly secret: string | null;
}

/** Unknown, without its secret, with another one: one answer. */
const refused = (): OAuthError =>
  new OAuthError('invalid_client', 'this client is not known, or did not prove who it is');

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
    throw new OAuthError('invalid_request', 'send the credentials of the client one way only');
  return basic;
}

type Issued = Pick<OAuthStore, 'findCode' | 'findToken'>;

/** Whether the request carries something that was issued to this client, whatever it is worth by now. */
async function holdsSomething(store: Issued, clientId: string, parameters: FormParameters): Promise<boolean> {
  const [code, token] = [parameters.get('code'), parameters.get('refresh_token') ?? parameters.get('token')];
  const [issuedCode, issuedToken] = await Promise.all([
    code === undefined ? null : store.findCode(hashSecret(code)),
    token === undefined ? null : store.findToken(hashSecret(token)),
  ]);
  return issuedCode?.clientId === clientId || issuedToken?.clientId === clientId;
}

/**
 * The client that sent the request: a confidential one by its secret, whichever of the two ways it comes, a public one by its id, which
 * proves nothing. Problems: `invalid_client`, `invalid_request`. Source: RFC 6749 §2.3, §3.2.1.
 */
export async function authenticateClient(
  { clients, store }: { readonly clients: ClientDirectory; readonly store: Issued },
  authorization: string | undefined,
  parameters: FormParameters,
): Promise<OAuthClient> {
  const { clientId, secret } = credentialsOf(authorization, parameters);
  // Nobody who holds nothing of a document's client makes us fetch the document.
  const isVouched = !clientId.includes(':') || (await holdsSomething(store, clientId, parameters));
  const client = await (isVouched ? clients.find(clientId) : clients.find(clientId, 'kept'));
  if (client === null) throw refused();
  // A public client with a secret is somebody who takes it for another one.
  const proven =
    client.secretHash === null ? secret === null : secret !== null && secretMatches(client.secretHash, secret);
  if (!proven) throw refused();
  return client;
}
