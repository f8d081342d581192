import { oauthPaths } from '#src/contracts/oauth.ts';
import type { DocumentSupport } from '#src/domain/access/oauth/document-support.ts';
import { grantScopes, offlineAccess } from '#src/contracts/scopes.ts';

/**
 * Metadata of the authorization server, for both well-known URLs. The server is not an OpenID provider: it has no keys and issues no
 * identity tokens. Source: RFC 8414 §2, RFC 9207 §3, RFC 9728 §4, draft-ietf-oauth-client-id-metadata-document §5.
 */
export function serverMetadata(
  issuer: string,
  resource: string,
  documents: Pick<DocumentSupport, 'isAdvertised'>,
): Readonly<Record<string, unknown>> {
  const at = (path: string): string => `${issuer}${path}`;
  const withSecret = ['client_secret_basic', 'client_secret_post'];
  const anyClient = ['none', ...withSecret];
  return {
    issuer,
    authorization_endpoint: at(oauthPaths.authorize),
    token_endpoint: at(oauthPaths.token),
    registration_endpoint: at(oauthPaths.register),
    revocation_endpoint: at(oauthPaths.revoke),
    introspection_endpoint: at(oauthPaths.introspect),
    scopes_supported: [...grantScopes, offlineAccess],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: anyClient,
    revocation_endpoint_auth_methods_supported: anyClient,
    introspection_endpoint_auth_methods_supported: withSecret,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...(documents.isAdvertised() && { client_id_metadata_document_supported: true }),
    protected_resources: [resource],
  };
}

/** Value of Cache-Control for these metadata. A client that starts again must see what is no longer advertised. */
export function metadataCaching({ mode }: Pick<DocumentSupport, 'mode'>): string {
  return mode === 'auto' ? 'no-cache' : 'public, max-age=300';
}
