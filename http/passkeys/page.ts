import { isRecentSignIn } from '#src/domain/access/recent-sign-in.ts';
import type { RelyingParty } from '#src/domain/access/relying-party.ts';
import type { LiveSession, PasskeyInfo } from '#src/domain/ports/sessions.ts';
import { ceremonyProblem, scriptFor } from '#http/passkeys/offer.ts';
import { along, carriedFields, type Carried } from '#http/pages/account.ts';
import { summaryOf, type Entry } from '#http/pages/fields.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';
import { signedInHeader } from '#http/pages/organizations.ts';

export const passkeysPath = '/passkeys';

export interface PasskeysView {
  readonly session: LiveSession;
  readonly party: RelyingParty | null;
  /** The reason why there are none at this address; null: there are. */
  readonly noneBecause: string | null;
  readonly passkeys: readonly PasskeyInfo[];
  /** Names of organizations that would refuse the person without their last passkey. */
  readonly demanding: readonly string[];
  /** Report of a change just now. */
  readonly done: string | null;
}

const nameField = { name: 'name', label: 'Name' };
const day = (date: Date): string => date.toISOString().slice(0, 10);

function line({ id, name, createdAt, lastUsedAt, isSynced }: PasskeyInfo, carried: Carried): Markup {
  const used = lastUsedAt === null ? 'not used yet' : `last used ${day(lastUsedAt)}`;
  return html`<li>
    <div class="row">
      <p id="${id}"><strong>${name}</strong></p>
      ${isSynced && html`<span class="tag">synced</span>`}
    </div>
    <p class="soft">Added ${day(createdAt)}, ${used}</p>
    <details>
      <summary>Rename or delete</summary>
      <form method="post" action="/passkeys/rename">
        ${carriedFields(carried)}
        <input type="hidden" name="id" value="${id}" />
        <label for="name-${id}">New name</label>
        <div class="joined">
          <input id="name-${id}" name="name" type="text" autocomplete="off" maxlength="60" required value="${name}" />
          <button class="quiet">Rename</button>
        </div>
      </form>
      <form method="post" action="/passkeys/delete">
        ${carriedFields(carried)}
        <input type="hidden" name="id" value="${id}" />
        <button class="bad" aria-describedby="${id}">Delete this passkey</button>
      </form>
    </details>
  </li>`;
}

function adding({ session, party, noneBecause }: PasskeysView, { returnTo }: Carried): Content {
  if (party === null) return html`<p class="warn">${noneBecause}</p>`;
  if (!isRecentSignIn(session, new Date())) {
    const back = along('/reauthenticate', along(passkeysPath, returnTo));
    return html`<p class="soft"><a href="${back}">Confirm that it is you</a> to add a passkey.</p>`;
  }
  const next = returnTo ?? `${passkeysPath}?changed=added`;
  return html`<form data-passkey="register" data-origin="${party.origin}" data-next="${next}" hidden>
      ${ceremonyProblem}
      <div class="field">
        <label for="new-name">Name</label>
        <p class="hint" id="new-name-hint">So that you know it again, such as "Laptop". You can leave it empty.</p>
        <input
          id="new-name"
          name="name"
          type="text"
          autocomplete="off"
          maxlength="60"
          aria-describedby="new-name-hint"
        />
      </div>
      <button>Add a passkey</button>
    </form>
    <noscript><p class="soft">Adding a passkey needs JavaScript.</p></noscript>`;
}

export function passkeysPage(view: PasskeysView, entry: Entry, carried: Carried): Page {
  const { session, party, passkeys, demanding, done } = view;
  const refuse =
    demanding.length === 1 ? 'demands a second factor and refuses you' : 'demand a second factor and refuse you';
  const body = html`${summaryOf(entry, [nameField])} ${done !== null && html`<p class="done" role="status">${done}</p>`}
    <p class="lead">
      A passkey signs you in with your fingerprint, your face or a PIN instead of your password. It works on this site
      only, and counts as a second factor.
    </p>
    <section aria-labelledby="yours">
      <h2 id="yours">Your passkeys</h2>
      ${
        passkeys.length > 0
          ? html`<ul>
              ${passkeys.map((one) => line(one, carried))}
            </ul>`
          : html`<p class="soft">You have none yet.</p>`
      }
      ${
        demanding.length > 0 &&
        html`<p class="warn">
          ${demanding.join(', ')} ${refuse} without this passkey, until you set up another second factor.
        </p>`
      }
    </section>
    <section aria-labelledby="add">
      <h2 id="add">Add a passkey</h2>
      ${adding(view, carried)}
    </section>
    <p><a href="${along('/two-factor', carried.returnTo)}">Second factor</a></p>
    <p><a href="/organizations">Your organizations</a></p>`;
  const isWrong = entry.problem !== null || entry.errors.length > 0;
  return { title: 'Passkeys', body, who: signedInHeader(session, carried), isWrong, ...scriptFor(party) };
}
