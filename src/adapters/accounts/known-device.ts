import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const deviceCookie = 'app.known_device';
const days = 365;

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/**
 * Marks a browser in which an account was signed in to. Its attempts are counted apart, so that a stranger who guesses cannot keep the
 * owner out. The cookie is valid for one account, and gives no access. Source: docs/decisions/0083, OWASP "device cookies".
 */
export function createKnownDevice(secret: string) {
  const sign = (nonce: string, email: string): string =>
    createHmac('sha256', secret).update(`known device ${nonce} ${email}`).digest('base64url');
  return {
    /** Nonce of the header's cookie if it is of this account (lower case). */
    read(header: string | undefined, email: string): string | null {
      const pair = header?.split(';').find((one) => one.trim().startsWith(`${deviceCookie}=`));
      const [nonce = '', signature = ''] =
        pair
          ?.trim()
          .slice(deviceCookie.length + 1)
          .split('.') ?? [];
      return nonce !== '' && same(signature, sign(nonce, email)) ? nonce : null;
    },
    /** Value of `Set-Cookie`. */
    write(email: string, isSecure: boolean): string {
      const nonce = randomBytes(16).toString('base64url');
      const rest = `Max-Age=${days * 86_400}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
      return `${deviceCookie}=${nonce}.${sign(nonce, email)}; ${rest}`;
    },
  };
}
export type KnownDevice = ReturnType<typeof createKnownDevice>;
