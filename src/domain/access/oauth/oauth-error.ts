import { InkgraphError } from '#src/domain/app-error.ts';

/** HTTP status by error code of RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2 and OpenID Connect Core §3.1.2.6. */
export const oauthErrors = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 403,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  login_required: 400,
  consent_required: 400,
} as const;
export type OAuthErrorCode = keyof typeof oauthErrors;

/** An error of the OAuth endpoints. `description` is for developers: ASCII, without quotes and backslashes (RFC 6749 §5.2). */
export class OAuthError extends InkgraphError {
  readonly code: OAuthErrorCode;
  readonly description: string;

  constructor(code: OAuthErrorCode, description: string) {
    super(`${code}: ${description}`);
    this.code = code;
    this.description = description;
  }

  get status(): number {
    return oauthErrors[this.code];
  }
}
