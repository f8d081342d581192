import { encode } from 'uqr';
import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import { passkeyOffer, scriptFor } from '#http/passkeys/offer.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { along, carriedFields, type Carried } from '#http/pages/account.ts';
import { box, fieldOf, summaryOf, type Entry, type Field } from '#http/pages/fields.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';
import { signedInHeader } from '#http/pages/organizations.ts';

const password: Field = {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  maxLength: 128,
};
const code: Field = {
  name: 'code',
  label: 'Code',
  type: 'text',
  autocomplete: 'one-time-code',
  hint: 'The 6 digits that your app shows now.',
  maxLength: 40,
};

const isWrong = ({ problem, errors }: Entry): boolean => problem !== null || errors.length > 0;

function form(action: string, [button, field]: readonly [string, Field], entry: Entry, carried: Carried): Markup {
  return html`<form method="post" action="${action}">
    ${carriedFields(carried)} ${fieldOf(field, entry)}
    <button>${button}</button>
  </form>`;
}

/** Second step of a sign-in. */
export const codePage =
  (party: RelyingParty | null) =>
  (entry: Entry, carried: Carried): Page => {
    const field = { ...code, hint: 'The 6 digits that your app shows now, or one of your backup codes.' };
    const body = html`${summaryOf(entry, [field])}
      <form class="card" method="post" action="/sign-in/code">
        ${carriedFields(carried)} ${fieldOf(field, { ...entry, values: {} })}
        <div class="field">
          ${box({ name: 'trustDevice', value: 'yes', isChecked: false, label: 'Do not ask this browser again for 30 days' })}
        </div>
        <button>Sign in</button>
      </form>
      ${passkeyOffer(party, { does: 'sign-in', next: carried.returnTo ?? '/organizations', button: 'Sign in with a passkey instead' })}
      <p><a href="/sign-in">Start again</a></p>`;
    return { title: 'Enter the code', body, isWrong: isWrong(entry), ...scriptFor(party) };
  };

/** A QR code as SVG: one square for each dark module, on white for every colour scheme. */
function qrCode(text: string): Markup {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${size} ${size}"
    width="240"
    height="240"
    shape-rendering="crispEdges"
    role="img"
    aria-label="QR code for your app"
  >
    <rect width="${size}" height="${size}" fill="#ffffff" />
    <path fill="#000000" d="${squares.join('')}" />
  </svg>`;
}

const codesOf = (codes: readonly string[]): Content =>
  html`<p class="lead">
      Keep these backup codes where you find them without your phone. Each works once. They are not shown again.
    </p>
    <ul>
      ${codes.map((one) => html`<li><code>${one}</code></li>`)}
    </ul>`;

/** Secret and backup codes of a new second factor, shown once, and the form for its first code. */
export function setUpPage(
  session: LiveSession,
  made: { readonly totpUri: string; readonly backupCodes: readonly string[] },
  carried: Carried,
): Page {
  const secret = new URL(made.totpUri).searchParams.get('secret') ?? '';
  const entry = { values: {}, errors: [], problem: null };
  const body = html`<section aria-labelledby="scan">
      <h2 id="scan">1. Scan it with your app</h2>
      <p>${qrCode(made.totpUri)}</p>
      <p class="soft">Or type this secret:</p>
      <code class="secret">${secret}</code>
    </section>
    <section aria-labelledby="codes">
      <h2 id="codes">2. Keep the backup codes</h2>
      ${codesOf(made.backupCodes)}
    </section>
    <section aria-labelledby="confirm">
      <h2 id="confirm">3. Confirm with a code</h2>
      ${form('/two-factor/confirm', ['Turn on', code], entry, carried)}
    </section>`;
  return { title: 'Set up a second factor', body, who: signedInHeader(session, carried) };
}

/** Asks again for the first code after a wrong one; secret and backup codes stay as they were. */
export function confirmPage(session: LiveSession, entry: Entry, carried: Carried): Page {
  const body = html`${summaryOf(entry, [code])}
    <section>${form('/two-factor/confirm', ['Turn on', code], entry, carried)}</section>
    <p><a href="/two-factor">Begin again with a new secret</a></p>`;
  return { title: 'Confirm with a code', body, who: signedInHeader(session, carried), isWrong: isWrong(entry) };
}

export function backupCodesPage(session: LiveSession, codes: readonly string[], carried: Carried): Page {
  const body = html`<section>${codesOf(codes)}</section>
    <p><a href="/two-factor">Second factor</a></p>`;
  return { title: 'New backup codes', body, who: signedInHeader(session, carried) };
}

/** A person's passkeys, on the page of the second factor. */
export interface PasskeysHere {
  readonly party: RelyingParty | null;
  readonly count: number;
}

function passkeySection({ hasSecondFactor }: LiveSession, { party, count }: PasskeysHere, carried: Carried): Markup {
  const next = carried.returnTo ?? '/two-factor';
  const told =
    count === 0
      ? 'A passkey counts as a second factor, without codes.'
      : `You have ${count === 1 ? 'a passkey' : `${count} passkeys`}, which count${count === 1 ? 's' : ''} as a second factor.`;
  return html`<section aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
    <div class="row">
      <p class="soft">${told}</p>
      <p><a href="${along('/passkeys', carried.returnTo)}">Your passkeys</a></p>
    </div>
    ${
      count > 0 &&
      !hasSecondFactor &&
      passkeyOffer(
        party,
        { does: 'prove', next, button: 'Confirm with a passkey' },
        html`<p>
          You signed in with your password. An organization that demands a second factor asks for your passkey, too.
        </p>`,
      )
    }
  </section>`;
}

export function secondFactorPage(
  { session, passkeys }: { readonly session: LiveSession; readonly passkeys: PasskeysHere },
  entry: Entry,
  carried: Carried,
): Page {
  const off = html`<section aria-labelledby="on">
    <h2 id="on">Codes of an app</h2>
    <p class="lead">Sign-in will ask for a code of an app on your phone, beside your password.</p>
    ${form('/two-factor/enable', ['Continue', password], entry, carried)}
  </section>`;
  const on = html`<p class="done">Sign-in asks you for a code of your app.</p>
    <section aria-labelledby="codes">
      <h2 id="codes">New backup codes</h2>
      <form method="post" action="/two-factor/backup-codes">
        ${carriedFields(carried)}
        <div class="field">
          <label for="codesPassword">Password</label>
          <input
            id="codesPassword"
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength="128"
            required
          />
        </div>
        <button class="quiet">Replace the backup codes</button>
      </form>
    </section>
    <section aria-labelledby="off">
      <h2 id="off">Turn it off</h2>
      ${form('/two-factor/disable', ['Turn off', password], entry, carried)}
    </section>`;
  const body = html`${summaryOf(entry, [password])} ${passkeys.count > 0 && passkeySection(session, passkeys, carried)}
    ${session.usesCodes ? on : off} ${passkeys.count === 0 && passkeySection(session, passkeys, carried)}
    <p><a href="/organizations">Your organizations</a></p>`;
  const who = signedInHeader(session, carried);
  return { title: 'Second factor', body, who, isWrong: isWrong(entry), ...scriptFor(passkeys.party) };
}
