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

/** Value of a cookie that the library accepts, encoded for the header. */
export function signedCookie(token: string, secret: string): string {
  return encodeURIComponent(`${token}.${createHmac('sha256', secret).update(token).digest('base64')}`);
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
