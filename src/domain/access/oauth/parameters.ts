import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';

/** Form parameters without duplicates and empty values. */
export type FormParameters = ReadonlyMap<string, string>;

/** Longest accepted value, in characters. */
const mostCharacters = 4_000;

/**
 * Parses a form. Empty values count as absent. Only `resource` can be repeated, with the same value. Errors: `invalid_request`,
 * `invalid_target`. Source: RFC 6749 §3.2, RFC 8707 §2.
 */
export function readParameters(form: string): FormParameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(form)) {
    if (value === '') continue;
    const known = parameters.get(name);
    if (known !== undefined && name === 'resource' && known !== value)
      throw new OAuthError('invalid_target', 'a token is valid for one resource: send resource once');
    if (known !== undefined && name !== 'resource')
      throw new OAuthError('invalid_request', 'a parameter is sent more than once: send it once');
    if (value.length > mostCharacters) throw new OAuthError('invalid_request', 'a parameter is too long');
    parameters.set(name, value);
  }
  return parameters;
}

/** Error: `invalid_request` if the parameter is missing. */
export function requireParameter(parameters: FormParameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
  return value;
}
