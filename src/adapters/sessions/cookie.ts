import { createHmac, timingSafeEqual } from 'node:crypto';
import { sessionCookie } from '#src/contracts/route.ts';

export { sessionCookie };

/** Signs a cookie as the library does: HMAC-SHA-256 in base64, after a dot. */
const signature = /\.[A-Za-z0-9+/]{43}=$/;

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const signatureOf = (token: string, secret: string): string =>
  createHmac('sha256', secret).update(token).digest('base64');

/** Value of a cookie that the library accepts, encoded for the header. */
export function signedCookie(token: string, secret: string): string {
  return encodeURIComponent(`${token}.${signatureOf(token, secret)}`);
}

/** Value of a cookie as the library reads it: of several with one name, the first. */
function valueOf(header: string, name: string): string | null {
  const value = header
    .split(';')
    .find((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))).trim() === name)
    ?.replace(/^[^=]*=/, '')
    .trim();
  return value === undefined ? null : decoded(value.startsWith('"') ? value.slice(1, -1) : value);
}

/**
 * Token in the signed session cookie of the header; null: there is none, or somebody else signed it. Computed at once, where the library
 * waits for a thread of Node's pool, which files and pictures share. Source: docs/decisions/0275.
 */
export function signedToken(header: string, secret: string): string | null {
  const value = valueOf(header, sessionCookie);
  const end = value?.lastIndexOf('.') ?? -1;
  if (value === null || end < 1) return null;
  const token = value.slice(0, end);
  return same(value.slice(end + 1), signatureOf(token, secret)) ? token : null;
}

/** Token of a raw or signed cookie value. */
export function tokenOf(given: string): string {
  return decoded(given).replace(signature, '');
}

function same(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** Replaces one of `accepted` in the header `Cookie` by the signed session token. */
export function withSigned(cookie: string, accepted: readonly string[], signed: string): string {
  return cookie
    .split(';')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      if (name.trim() !== sessionCookie) return pair;
      const value = decoded(rest.join('=').trim());
      return accepted.some((one) => same(one, value)) ? `${sessionCookie}=${signed}` : pair;
    })
    .join(';');
}
