import type { Request } from 'express';
import { ClientRegistration } from '#src/contracts/oauth.ts';
import { oversize } from '#src/contracts/shapes/oversize.ts';
import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';
import { registerClient, type ClientMetadata } from '#tools/oauth/register-client.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

/** Drops null members, which serializers of some languages write for absent values. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function metadataOf({ body }: Request): ClientMetadata {
  // Before the body is walked.
  const large = oversize(ClientRegistration, body);
  if (large?.path.length === 0) throw new OAuthError('invalid_client_metadata', `the body ${large.message}`);
  const read = ClientRegistration.safeParse(withoutNulls(body));
  if (read.success) return read.data;
  const [at] = read.error.issues.map(({ path }) => String(path[0] ?? 'the body'));
  const code = at === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  throw new OAuthError(code, `${at} is missing, too long or not of the form that RFC 7591 requires`);
}

/** Registers a client and returns its metadata. Source: RFC 7591 §3.2.1. */
export async function register(store: Pick<OAuthStore, 'insertClient'>, request: Request): Promise<object> {
  const { client, secret } = await registerClient(store, metadataOf(request), new Date());
  return {
    client_id: client._id,
    client_id_issued_at: Math.floor(client.createdAt.getTime() / 1_000),
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: ['code'],
    token_endpoint_auth_method: client.authMethod,
  };
}
