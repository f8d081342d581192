import { OAuthError } from '#src/domain/access/oauth/oauth-error.ts';

/** Of a form: each once, none empty. */
export type FormParameters = ReadonlyMap<string, string>;

/** Longest value that means anything here. */
const mostCharacters = 4_000;

/**
 * Parameters of a form as it came. One without a value counts as left out; `resource` alone may be repeated, and then has to be the same.
 * Problems: `invalid_request`, `invalid_target`. Source: RFC 6749 §3.2, RFC 8707 §2.
 */
export function readParameters(form: string): FormParameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(form)) {
    if (value === '') continue;
    const known = parameters.get(name);
    if (known !== undefined && name === 'resource' && known !== value)
      throw new OAuthError('invalid_target', 'a token is for one resource: name one');
    if (known !== undefined && name !== 'resource')
      throw new OAuthError('invalid_request', 'a parameter is sent more than once');
    if (value.length > mostCharacters) throw new OAuthError('invalid_request', 'a parameter is too long');
    parameters.set(name, value);
  }
  return parameters;
}

/** Problem: `invalid_request` where it is missing. */
export function requireParameter(parameters: FormParameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
  return value;
}
