import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

import { AppError } from '#src/domain/app-error.ts';

/** Method that a signed address grants. GET includes HEAD. */
export type Grant = 'PUT' | 'GET';

/** Query parameters besides `signature`, in the order in which they are signed. */
const terms = { PUT: ['expires', 'length', 'type', 'signed', 'md5'], GET: ['expires', 'inline', 'name'] } as const;
export type Terms = Partial<Record<(typeof terms)[Grant][number], string>>;

export interface SignedAddress {
  readonly grant: Grant;
  readonly key: string;
  /** Raw text from the address: the signature covers the text, so another spelling of a number is refused. */
  readonly terms: Terms;
  readonly signature: string;
}

export const pathPrefix = '/o/';

function sign(secret: KeyObject, grant: Grant, key: string, values: Terms): string {
  const fields: readonly (keyof Terms)[] = terms[grant];
  // Addresses without the newer fields are signed as before.
  const given = fields.filter((name) => (name !== 'md5' && name !== 'name') || values[name] !== undefined);
  const text = JSON.stringify(['inkgraph-object-1', grant, key, ...given.map((name) => values[name] ?? null)]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Path and query of a signed address. `values.expires` is milliseconds since 1970. */
export function signedPath(secret: KeyObject, grant: Grant, key: string, values: Terms): string {
  const query = new URLSearchParams({ ...values, signature: sign(secret, grant, key, values) });
  return `${pathPrefix}${key}?${query.toString()}`;
}

/** Throws `request.malformed` for a repeated or unknown parameter, `object.signature_invalid` without a signature. */
export function parseAddress(key: string, query: string, method: string): SignedAddress {
  const given = new URLSearchParams(query);
  const grant = given.has('length') || (method === 'PUT' && !given.has('inline')) ? 'PUT' : 'GET';
  const known: ReadonlySet<string> = new Set(['signature', ...terms[grant]]);
  for (const name of given.keys()) {
    if (!known.has(name))
      throw new AppError('request.malformed', 'The address has an unknown parameter. Use it exactly as it was issued.');
    if (given.getAll(name).length > 1) throw new AppError('request.malformed', `The parameter ${name} is given twice.`);
  }
  const { signature, ...values } = Object.fromEntries(given);
  if (signature === undefined) throw invalid();
  return { grant, key, terms: values, signature };
}

function invalid(): AppError {
  return new AppError(
    'object.signature_invalid',
    'The signature of the address is not valid. Use the address exactly as it was issued.',
  );
}

/** Throws `object.signature_invalid`, then `object.expired`. Returns the time of expiry. */
export function verifyAddress(secret: KeyObject, address: SignedAddress, now: Date): Date {
  const expected = Buffer.from(sign(secret, address.grant, address.key, address.terms));
  const given = Buffer.from(address.signature);
  // Compares the text, not decoded bytes: base64url has several spellings of the last bits.
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalid();
  const expires = new Date(Number(address.terms.expires));
  if (!(expires.getTime() > now.getTime()))
    throw new AppError('object.expired', 'The address has expired. Ask for a new one.');
  return expires;
}
