import { oauthPaths } from '#src/contracts/oauth.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';
import { fieldOf, summaryOf, type Entry, type Field } from '#http/pages/fields.ts';
import { passkeyOffer, scriptFor } from '#http/passkeys/offer.ts';
import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import type { Page } from '#http/pages/layout.ts';

/** Values that every form carries along. */
export interface Carried {
  /** Hidden fields. */
  readonly token: Markup;
  /** Path to go to at the end; null: the organizations page. */
  readonly returnTo: string | null;
}

export const carriedFields = ({ token, returnTo }: Carried): Content =>
  html`${token}${returnTo !== null && html`<input type="hidden" name="returnTo" value="${returnTo}" />`}`;

/** Returns the address of another page that leads to the same end. */
export const along = (path: string, returnTo: string | null): string =>
  returnTo === null ? path : `${path}?returnTo=${encodeURIComponent(returnTo)}`;

const email: Field = {
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  autocomplete: 'username',
  maxLength: 254,
};

const signInFields: readonly Field[] = [
  email,
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', maxLength: 128 },
];

const signUpFields: readonly Field[] = [
  { name: 'name', label: 'Your name', type: 'text', autocomplete: 'name', maxLength: 200 },
  email,
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 10 characters. A few words make a good password.',
    maxLength: 128,
  },
];

interface Form {
  readonly title: string;
  readonly path: string;
  readonly fields: readonly Field[];
  /** Content in front of the fields. */
  readonly hidden?: Content;
  readonly button: string;
  readonly other: Content;
}

/** Explains the page to a person whom a program sent here. */
const whyHere = ({ returnTo }: Carried): Content =>
  returnTo?.startsWith(`${oauthPaths.authorize}?`) === true &&
  html`<p class="lead">
    A program wants to connect to your account. Sign in first. On the next page you decide what it may do.
  </p>`;

export function formPage(
  { title, path, fields, hidden = null, button, other }: Form,
  entry: Entry,
  carried: Carried,
): Page {
  const body = html`${summaryOf(entry, fields)} ${whyHere(carried)}
    <form class="card" method="post" action="${path}">
      ${carriedFields(carried)} ${hidden} ${fields.map((field) => fieldOf(field, entry))}
      <button>${button}</button>
    </form>
    ${other}`;
  return { title, body, isWrong: entry.problem !== null || entry.errors.length > 0 };
}

/** `hasMail`: people can replace a forgotten password themselves. */
export const signInPage =
  (hasMail: boolean, party: () => RelyingParty | null) =>
  (entry: Entry, carried: Carried): Page => {
    const offer = passkeyOffer(party(), {
      does: 'sign-in',
      next: carried.returnTo ?? '/organizations',
      button: 'Sign in with a passkey',
    });
    const other = html`${offer}
      <p>No account yet? <a href="${along('/sign-up', carried.returnTo)}">Create an account</a>.</p>
      ${
        hasMail
          ? html`<p><a href="/forgot-password">Forgot your password?</a></p>`
          : html`<p class="soft">Forgot your password? Ask your administrator.</p>`
      }`;
    // The browser offers passkeys in a field with this word.
    const mark = party() === null ? '' : ' webauthn';
    const fields = signInFields.map((one) =>
      one === email ? { ...email, autocomplete: `${email.autocomplete}${mark}` } : one,
    );
    const form = { title: 'Sign in', path: '/sign-in', fields, button: 'Sign in', other };
    return { ...formPage(form, entry, carried), ...scriptFor(party()) };
  };

export function signUpPage(entry: Entry, carried: Carried): Page {
  const other = html`<p>Already have an account? <a href="${along('/sign-in', carried.returnTo)}">Sign in</a>.</p>`;
  const form = { title: 'Create an account', path: '/sign-up', fields: signUpFields, button: 'Create account', other };
  return formPage(form, entry, carried);
}
