import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { FormToken } from '#http/pages/form-token.ts';
import { parseAddress, signedPath, verifyAddress, type Grant } from '#src/adapters/objects/disk/address.ts';
import { withSigned } from '#src/adapters/sessions/cookie.ts';
import { AppError } from '#src/domain/app-error.ts';
import { hashSecret, newOAuthSecret, secretMatches } from '#src/domain/access/oauth/secrets.ts';
import { SignedMedia } from '#tools/pictures/signed-media.ts';
import { alteredTexts } from '#test/support/integrity/altered.ts';
import { documentRecord } from '#test/support/records.ts';

const secret = Buffer.alloc(32, 7);
const key = createSecretKey(secret);

const codeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code;
  throw error;
};

const failureOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return codeOf(error);
  }
};

/** The check of one kind of secret: `genuine` is its outcome for `text`, `refused` for every text that differs in one character. */
interface Check {
  readonly text: string;
  readonly genuine: string;
  readonly refused: string;
  readonly outcome: (text: string) => string | Promise<string>;
}

function addressCheck(grant: Grant): Check {
  const expires = String(Date.now() + 60_000);
  const terms = grant === 'PUT' ? { expires, length: '10', type: 'image/png' } : { expires };
  const [path = '', query = ''] = signedPath(key, grant, 'a/b', terms).split('?');
  const parameters = new URLSearchParams(query);
  const outcome = (signature: string): string => {
    parameters.set('signature', signature);
    const address = parseAddress(path.replace('/o/', ''), parameters.toString(), grant);
    return failureOf(() => verifyAddress(key, address, new Date()));
  };
  return { text: parameters.get('signature') ?? '', genuine: 'none', refused: 'object.signature_invalid', outcome };
}

function mediaCheck(picture: 'thumbnail' | number): Check {
  const document = documentRecord({ pages: 2 });
  const media = new SignedMedia({
    documents: { findInOrganization: async () => null, addPicture: async () => false },
    usage: {} as never,
    objects: {} as never,
    images: {} as never,
    secret,
    baseUrl: () => 'http://media.test',
    hasDashboard: false,
  });
  const url = picture === 'thumbnail' ? media.url(document) : media.pageUrl(document, picture);
  const { searchParams } = new URL(url);
  const { organizationId, _id: documentId } = document;
  const place = { organizationId, documentId, picture, expires: searchParams.get('expires'), width: '400' };
  const outcome = (signature: string): Promise<string> =>
    media.open({ ...place, signature }).then(() => 'none', codeOf);
  // The document is looked up after the signature was found right.
  const genuine = 'document.not_found';
  return { text: searchParams.get('signature') ?? '', genuine, refused: 'object.signature_invalid', outcome };
}

/** The token of a form, altered in the field, in the cookie or in both. */
function formCheck(altered: 'field' | 'cookie' | 'both'): Check {
  const forms = new FormToken(secret, () => true);
  let cookie = '';
  forms.field({ headers: {} } as never, { append: (_name: string, value: string) => (cookie = value) } as never);
  const [, token = ''] = /^app\.form_token=([^;]+)/.exec(cookie) ?? [];
  const outcome = (text: string): string => {
    const [inField, inCookie] = [altered === 'cookie' ? token : text, altered === 'field' ? token : text];
    const headers = { cookie: `app.form_token=${inCookie}` };
    return failureOf(() => forms.check({ headers } as never, { formToken: inField }));
  };
  return { text: token, genuine: 'none', refused: 'auth.forbidden', outcome };
}

function clientSecretCheck(): Check {
  const text = newOAuthSecret('client');
  const hash = hashSecret(text);
  return { text, genuine: 'true', refused: 'false', outcome: (given) => String(secretMatches(hash, given)) };
}

/** The stored hash altered instead: a comparison of a part of the hashes would be noticed here. */
function clientHashCheck(): Check {
  const text = newOAuthSecret('client');
  const outcome = (hash: string): string => String(secretMatches(hash, text));
  return { text: hashSecret(text), genuine: 'true', refused: 'false', outcome };
}

function operatorTokenCheck(): Check {
  const text = 'abcdefghijklmnopqrstuvwxyz012345';
  const outcome = (given: string): string => withSigned(`app.session_token=${given}`, [text], 'signed');
  return { text, genuine: 'app.session_token=signed', refused: 'unchanged', outcome };
}

const checks: [string, Check][] = [
  ['the signature of an upload address', addressCheck('PUT')],
  ['the signature of a download address', addressCheck('GET')],
  ['the signature of a thumbnail', mediaCheck('thumbnail')],
  ['the signature of a page', mediaCheck(1)],
  ['the token of a form in its field', formCheck('field')],
  ['the token of a form in its cookie', formCheck('cookie')],
  ['the token of a form in both', formCheck('both')],
  ['the secret of a client', clientSecretCheck()],
  ['the stored hash of a client secret', clientHashCheck()],
  ['the session token that an operator configured', operatorTokenCheck()],
];

describe('A secret that differs by one bit of one character', () => {
  test.each(checks)('is refused: %s', async (_name, { text, genuine, refused, outcome }) => {
    expect(text.length).toBeGreaterThan(30);
    expect(await outcome(text)).toBe(genuine);
    for (const altered of alteredTexts(text)) {
      const expected = refused === 'unchanged' ? `app.session_token=${altered}` : refused;
      expect(await outcome(altered), altered).toBe(expected);
    }
    for (const other of [text.slice(0, -1), `${text}A`, text.slice(1), '']) {
      const expected = refused === 'unchanged' ? `app.session_token=${other}` : refused;
      expect(await outcome(other), other).toBe(expected);
    }
  });
});
