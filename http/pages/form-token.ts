import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { AppError } from '#src/domain/app-error.ts';
import { html, type Markup } from '#http/pages/html.ts';

const cookieName = 'app.form_token';
const fieldName = 'formToken';

function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function cookieOf({ headers }: Request): string | null {
  const pair = headers.cookie?.split(';').find((one) => one.trim().startsWith(`${cookieName}=`));
  return pair === undefined ? null : pair.trim().slice(cookieName.length + 1);
}

/** Signed double-submit token: the form field must equal the cookie, and carry this service's signature. */
export class FormToken {
  readonly #secret: Buffer;
  readonly #isSecure: () => boolean;

  constructor(secret: Buffer, isSecure: () => boolean) {
    this.#secret = secret;
    this.#isSecure = isSecure;
  }

  #isOurs(token: string): boolean {
    const [nonce = '', signature = ''] = token.split('.');
    return same(signature, createHmac('sha256', this.#secret).update(nonce).digest('base64url'));
  }

  /** Returns the hidden field. An existing cookie is kept, so that several tabs work. */
  field(request: Request, response: Response): Markup {
    const known = cookieOf(request);
    if (known !== null && this.#isOurs(known))
      return html`<input type="hidden" name="${fieldName}" value="${known}" />`;
    const nonce = randomBytes(18).toString('base64url');
    const token = `${nonce}.${createHmac('sha256', this.#secret).update(nonce).digest('base64url')}`;
    const secure = this.#isSecure() ? '; Secure' : '';
    response.append('set-cookie', `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Lax${secure}`);
    return html`<input type="hidden" name="${fieldName}" value="${token}" />`;
  }

  /** Error: `auth.forbidden`. */
  check(request: Request, body: Readonly<Record<string, string>>): void {
    const cookie = cookieOf(request);
    if (cookie !== null && this.#isOurs(cookie) && same(cookie, body[fieldName] ?? '')) return;
    throw new AppError('auth.forbidden', 'The form has expired, or cookies are off. Reload the page and try again.');
  }
}
