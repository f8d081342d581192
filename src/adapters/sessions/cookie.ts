import { createHmac, timingSafeEqual } from 'node:crypto';
import { sessionCookie } from '#src/contracts/route.ts';

export { sessionCookie };

/** HMAC-SHA-256 in base64, behind a dot: as the library signs cookies. */
const signature = /\.[A-Za-z0-9+/]{43}=$/;

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The value of a cookie that the library accepts, ready to be sent. */
export function signedCookie(token: string, secret: string): string {
  return encodeURIComponent(`${token}.${createHmac('sha256', secret).update(token).digest('base64')}`);
}

/** The token of what an operator copied: raw, or signed. */
export function tokenOf(given: string): string {
  return decoded(given).replace(signature, '');
}

function same(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** The header `Cookie` with the signed session token where it carries one of `accepted` instead. */
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
