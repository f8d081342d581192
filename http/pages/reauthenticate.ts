import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import { passkeyOffer, scriptFor } from '#http/passkeys/offer.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { carriedFields, type Carried } from '#http/pages/account.ts';
import { fieldOf, summaryOf, type Entry, type Field } from '#http/pages/fields.ts';
import { html } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';
import { signedInHeader } from '#http/pages/organizations.ts';

export const reauthenticatePath = '/reauthenticate';

const fields: readonly Field[] = [
  { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', maxLength: 128 },
];

/** Asks a signed-in person for the password again, before a sensitive change. */
/** `party`: null where the person has no passkey, or the address none. */
export function reauthenticatePage(
  { session, party }: { readonly session: LiveSession; readonly party: RelyingParty | null },
  entry: Entry,
  carried: Carried,
): Page {
  const body = html`${summaryOf(entry, fields)}
    <p class="lead">
      You are signed in as ${session.email}. Your last sign-in was some time ago, and what comes next is sensitive.
      Confirm that it is you.
    </p>
    <form class="card" method="post" action="${reauthenticatePath}">
      ${carriedFields(carried)} ${fields.map((field) => fieldOf(field, entry))}
      <button>Confirm</button>
    </form>
    ${passkeyOffer(party, { does: 'prove', next: carried.returnTo ?? '/organizations', button: 'Confirm with a passkey' })}`;
  const isWrong = entry.problem !== null || entry.errors.length > 0;
  const who = signedInHeader(session, carried);
  return { title: 'Confirm that it is you', body, who, isWrong, ...scriptFor(party) };
}
