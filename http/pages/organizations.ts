import { home } from '#http/guard/own-path.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { along, carriedFields, type Carried } from '#http/pages/account.ts';
import { fieldOf, summaryOf, type Entry, type Field } from '#http/pages/fields.ts';
import { html, type Markup } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';
import type { Affiliation, WaitingInvitation } from '#src/domain/access/member.ts';

const organizationFields: readonly Field[] = [
  { name: 'name', label: 'Name of the organization', type: 'text', autocomplete: 'organization', maxLength: 200 },
];

/** Content of the top right for a signed-in person. */
export const signedInHeader = ({ name }: LiveSession, carried: Carried): Markup =>
  html`<div class="who">
    <p>${name}</p>
    <form method="post" action="/sign-out">${carriedFields(carried)}<button class="quiet">Sign out</button></form>
  </div>`;

const decide = ({ invitationId }: WaitingInvitation, key: string, carried: Carried): Markup =>
  html`<form method="post" action="/invitations">
    ${carriedFields(carried)}
    <input type="hidden" name="token" value="${key}" />
    <div class="actions">
      <button name="decision" value="accept" aria-describedby="${invitationId}">Accept</button>
      <button class="quiet" name="decision" value="decline" aria-describedby="${invitationId}">Decline</button>
    </div>
  </form>`;

const invitationLine = (invitation: WaitingInvitation): Markup =>
  html`<p id="${invitation.invitationId}">
    <strong>${invitation.organizationName}</strong> invites you as ${invitation.role}, until
    ${invitation.expiresAt.toISOString().slice(0, 10)}.
  </p>`;

function choice(one: Affiliation, isActive: boolean, carried: Carried): Markup {
  const { organizationId, name, role } = one;
  return html`<li>
    <div class="row">
      <p id="${organizationId}"><strong>${name}</strong> <span class="soft">${role}</span></p>
      ${
        isActive
          ? html`<p class="soft">Active</p>`
          : html`<form method="post" action="/organizations/choose">
              ${carriedFields(carried)}
              <input type="hidden" name="organizationId" value="${organizationId}" />
              <button class="quiet" aria-describedby="${organizationId}">Make active</button>
            </form>`
      }
    </div>
  </li>`;
}

/** Shown to members of an organization that demands a second factor, and to owners, who decide. */
function demand({ hasSecondFactor }: LiveSession, active: Affiliation, carried: Carried): Markup | false {
  const { name, role, requiresSecondFactor } = active;
  const isOwner = role === 'owner';
  if (!isOwner && !requiresSecondFactor) return false;
  const told = requiresSecondFactor
    ? `${name} demands a second factor of its members.`
    : `Members of ${name} need no second factor.`;
  const form = html`<form method="post" action="/two-factor/demand">
    ${carriedFields(carried)}
    <input type="hidden" name="required" value="${requiresSecondFactor ? 'no' : 'yes'}" />
    <button class="quiet">${requiresSecondFactor ? 'Do not demand it' : 'Demand it'}</button>
  </form>`;
  return html`<div class="row">
      <p class="soft">${told}</p>
      ${isOwner && hasSecondFactor && form}
    </div>
    ${
      requiresSecondFactor &&
      !hasSecondFactor &&
      html`<p role="status"><a href="/two-factor">Set up a second factor</a> to work in ${name}.</p>`
    }`;
}

export interface OrganizationsView {
  readonly session: LiveSession;
  readonly organizations: readonly Affiliation[];
  /** The person can have a link sent that confirms their address. */
  readonly isUnconfirmed: boolean;
  /** The active organization was made, joined or chosen just now. */
  readonly isChanged: boolean;
}

const unconfirmed = ({ email }: LiveSession, carried: Carried): Markup =>
  html`<section aria-labelledby="address">
    <h2 id="address">Your e-mail address</h2>
    <form method="post" action="/verify-email/send">
      ${carriedFields(carried)}
      <p class="soft">Nobody has confirmed yet that ${email} is your address.</p>
      <p><button class="quiet">Send a link to it</button></p>
    </form>
  </section>`;

export function organizationsPage(view: OrganizationsView, entry: Entry, carried: Carried): Page {
  const { session, organizations } = view;
  const active = organizations.find(({ organizationId }) => organizationId === session.activeOrganizationId);
  const lines = organizations.map((one) => choice(one, one === active, carried));
  const body = html`${summaryOf(entry, organizationFields)}
    ${
      active !== undefined &&
      html`<p ${view.isChanged && html`class="done" role="status"`}>${active.name} is your active organization.</p>`
    }
    ${
      active !== undefined &&
      (carried.returnTo !== null || view.isChanged) &&
      html`<p><a href="${carried.returnTo ?? home}">Continue</a></p>`
    }
    <section aria-labelledby="yours">
      <h2 id="yours">Your organizations</h2>
      ${
        lines.length > 0
          ? html`<ul>
              ${lines}
            </ul>`
          : html`<p class="soft">
              You are not a member of an organization yet. Open the link of your invitation, or create one below.
            </p>`
      }
    </section>
    ${
      active !== undefined &&
      html`<section aria-labelledby="connected">
        <h2 id="connected">Connected programs</h2>
        <div class="row">
          <p class="soft">Programs that act for you in ${active.name}.</p>
          <p><a href="/apps">Connected programs</a></p>
        </div>
      </section>`
    }
    <section aria-labelledby="safety">
      <h2 id="safety">Second factor</h2>
      <div class="row">
        <p class="soft">
          ${session.usesCodes ? 'Sign-in asks you for a code.' : 'Your password alone opens your account.'}
        </p>
        <p><a href="/two-factor">Second factor</a></p>
      </div>
      <div class="row">
        <p class="soft">Sign in with your fingerprint, face or PIN.</p>
        <p><a href="/passkeys">Passkeys</a></p>
      </div>
      ${active !== undefined && demand(session, active, carried)}
    </section>
    ${view.isUnconfirmed && unconfirmed(session, carried)}
    <section aria-labelledby="new">
      <h2 id="new">New organization</h2>
      <form method="post" action="/organizations">
        ${carriedFields(carried)} ${organizationFields.map((field) => fieldOf(field, entry))}
        <button>Create organization</button>
      </form>
    </section>`;
  const isWrong = entry.problem !== null || entry.errors.length > 0;
  return { title: 'Organizations', body, who: signedInHeader(session, carried), isWrong };
}

export interface InvitationView {
  readonly session: LiveSession;
  readonly invitation: WaitingInvitation;
  /** Secret of the link that was opened. */
  readonly key: string;
}

export function invitationPage({ session, invitation, key }: InvitationView, carried: Carried): Page {
  const { isProven, role } = invitation;
  const body = html`<section>
    ${invitationLine(invitation)}
    ${
      !isProven &&
      role !== 'viewer' &&
      html`<p class="soft">
        Your address is not confirmed, so you join as viewer first. You are ${role} once an admin of the organization
        agrees.
      </p>`
    }
    <p class="soft">You are signed in as ${session.email}.</p>
    ${decide(invitation, key, carried)}
  </section>`;
  return { title: `Invitation to ${invitation.organizationName}`, body, who: signedInHeader(session, carried) };
}

/** An error, and links to go on from. */
export function problemPage(title: string, detail: string, requestId: string): Page {
  const body = html`<div class="errors" role="alert"><p>${detail}</p></div>
    <p><a href="${along('/organizations', null)}">Your organizations</a> · <a href="/sign-in">Sign in</a></p>
    <p class="soft">Request ${requestId}</p>`;
  return { title, body, isWrong: true };
}
