import { oauthPaths } from '#src/contracts/oauth.ts';
import { grantScopes, type GrantScope } from '#src/contracts/scopes.ts';
import { destinationOf, type Destination } from '#src/domain/access/oauth/authorize.ts';
import type { GrantTarget } from '#tools/oauth/consent.ts';
import {
  lastingsFor,
  presets,
  presetsWithin,
  scopesWithin,
  type Choice,
  type Lasting,
  type Preset,
} from '#src/domain/access/oauth/consent-choice.ts';
import { plainName } from '#src/domain/access/oauth/client-name.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import { box, summaryOf, type Entry } from '#http/pages/fields.ts';
import { along, carriedFields, type Carried } from '#http/pages/account.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';
import { signedInHeader } from '#http/pages/organizations.ts';
import { scopeHints, scopeTexts } from '#http/pages/scope-texts.ts';
import type { ConsentRequest, OAuthClient } from '#src/domain/access/oauth/records.ts';

export interface ConsentView {
  readonly client: OAuthClient;
  readonly consent: ConsentRequest;
  /** One-time value that the form sends back to find the request. */
  readonly value: string;
  readonly session: LiveSession;
  readonly target: GrantTarget;
  readonly choice: Choice;
  readonly entry: Entry;
}

/** Groups of the form, for the error summary. */
const groups = [
  { name: 'project', label: 'Projects' },
  { name: 'scope', label: 'What it may do' },
  { name: 'lasting', label: 'For how long' },
] as const;

const presetNames: Readonly<Record<Preset, string>> = { read: 'Read only', editor: 'Editor', full: 'Full' };
const lastingNames: Readonly<Record<Lasting, string>> = {
  hour: '1 hour, then it must ask again',
  '30': '30 days',
  '90': '90 days',
  '365': '1 year',
  always: 'Until I disconnect it',
};

const day = (at: Date): string => at.toISOString().slice(0, 10);

/** States what vouches for the client. Its own claims never do. */
function originOf({ origin, _id, createdAt }: OAuthClient): Content {
  if (origin === 'document') return html`Described at <bdi>${_id}</bdi>`;
  if (origin === 'registered') return `Registered itself on ${day(createdAt)}. Nobody has verified it`;
  return `Created by an organization on ${day(createdAt)}`;
}

function warningOf(client: OAuthClient, { kind, host }: Destination): Markup | null {
  if (kind === 'computer')
    return html`<p class="warn">
      <strong>Access goes to a program on this computer.</strong> Any program can claim this name. Continue only if you
      started it yourself just now.
    </p>`;
  if (kind === 'program')
    return html`<p class="warn">
      <strong>Access goes to the app that opens ${host} addresses on this device.</strong> Continue only if you came
      from that app just now.
    </p>`;
  if (client.origin === 'document' && new URL(client._id).host !== host)
    return html`<p class="warn">
      <strong>Access goes to another site than the one that describes the program.</strong> Continue only if you trust
      both.
    </p>`;
  return null;
}

function asking({ client, consent, session }: ConsentView): Markup {
  const destination = destinationOf(consent.redirectUri);
  return html`<section aria-labelledby="asks">
    <h2 id="asks"><bdi>${plainName(client)}</bdi> wants to work with your documents and workflows</h2>
    <dl>
      <div>
        <dt>Access goes to</dt>
        <dd class="host"><bdi>${destination.host}</bdi></dd>
      </div>
      <div>
        <dt>The program</dt>
        <dd>${originOf(client)}</dd>
      </div>
      <div>
        <dt>Signed in as</dt>
        <dd>${session.name} <span class="soft">${session.email}</span></dd>
      </div>
    </dl>
    ${warningOf(client, destination)}
  </section>`;
}

function organizationPart({ target }: ConsentView): Markup {
  const { organizations, organization } = target;
  if (organizations.length === 1)
    return html`<input type="hidden" name="organization" value="${organization.organizationId}" />
      <p>In <strong>${organization.name}</strong>, as ${organization.role}.</p>`;
  const options = organizations.map(
    ({ organizationId, name, role }) =>
      html`<option value="${organizationId}" ${organizationId === organization.organizationId && html`selected`}>
        ${name} (${role})
      </option>`,
  );
  return html`<div class="field">
    <label for="organization">Organization</label>
    <div class="joined">
      <select id="organization" name="organization" aria-describedby="organization-hint">
        ${options}
      </select>
      <button class="quiet" name="act" value="show">Show its projects</button>
    </div>
    <p class="hint" id="organization-hint">The projects and permissions below are of ${organization.name}.</p>
  </div>`;
}

function projectPart({ target, choice, entry }: ConsentView): Markup {
  const { projects, organization } = target;
  const lines = projects.map(({ _id, name }) =>
    box({ name: 'project', value: _id, isChecked: choice.projectIds.includes(_id), label: name }),
  );
  return html`<fieldset id="project" tabindex="-1" ${wrong(entry, 'project')}>
    <legend>Projects</legend>
    <p class="hint">The program reaches only these projects, and no project that is created later.</p>
    <div class="boxes short">
      ${lines.length > 0 ? lines : html`<p class="soft">${organization.name} has no project yet.</p>`}
    </div>
  </fieldset>`;
}

const wrong = ({ errors }: Entry, name: string): Content =>
  errors.some(({ pointer }) => pointer === `/${name}`) && html`class="wrong"`;

function scopeLine(scope: GrantScope, { target, choice, consent }: ConsentView): Markup {
  const isOff = !target.grantable.includes(scope);
  const { name } = scopeTexts[scope];
  const label = html`<strong>${name}</strong>
    ${consent.scopes.includes(scope) && html`<span class="tag">requested</span>`}
    ${
      isOff
        ? html`<span class="hint">Your role, ${target.organization.role}, does not include this.</span>`
        : scopeHints(scope)
    }`;
  return box({ name: 'scope', value: scope, isChecked: choice.scopes.includes(scope), isOff, label });
}

function scopePart(view: ConsentView): Markup {
  const { grantable } = view.target;
  const chosen = scopesWithin(view.choice.scopes, grantable).join(' ');
  const buttons = presetsWithin(grantable).map((preset) => {
    const isChosen = scopesWithin(presets[preset], grantable).join(' ') === chosen;
    return html`<button class="quiet" name="act" value="${preset}" aria-pressed="${String(isChosen)}">
      ${presetNames[preset]}
    </button>`;
  });
  return html`<fieldset id="scope" tabindex="-1" ${wrong(view.entry, 'scope')}>
    <legend>What it may do</legend>
    <p class="hint">You can change this at any time under <a href="/apps">Connected programs</a>.</p>
    <div class="actions presets" role="group" aria-label="Sets of permissions">${buttons}</div>
    <div class="boxes">${grantScopes.map((scope) => scopeLine(scope, view))}</div>
  </fieldset>`;
}

function lastingPart({ client, choice, entry }: ConsentView): Markup {
  const lines = lastingsFor(client).map((lasting) =>
    box({
      name: 'lasting',
      value: lasting,
      type: 'radio',
      isChecked: lasting === choice.lasting,
      label: lastingNames[lasting],
    }),
  );
  return html`<fieldset id="lasting" tabindex="-1" ${wrong(entry, 'lasting')}>
    <legend>For how long</legend>
    <p class="hint">You can disconnect it at any time under <a href="/apps">Connected programs</a>.</p>
    <div class="boxes short">${lines}</div>
  </fieldset>`;
}

/**
 * Asks a person for consent. The redirect address comes first; claims of the program appear as text. Source: docs/decisions/0044; RFC 9700
 * §4.14.
 */
export function consentPage(view: ConsentView, carried: Carried): Page {
  const { entry, session, value } = view;
  const body = html`${summaryOf(entry, groups)} ${asking(view)}
    <form class="card consent" method="post" action="${oauthPaths.decide}">
      <button name="act" value="show" hidden>Show</button>
      ${carriedFields(carried)}
      <input type="hidden" name="request" value="${value}" />
      <input type="hidden" name="shown" value="${view.target.organization.organizationId}" />
      ${organizationPart(view)} ${projectPart(view)} ${scopePart(view)} ${lastingPart(view)}
      <div class="decision">
        <button name="act" value="allow">Allow access</button>
        <button class="quiet" name="act" value="deny">Deny</button>
      </div>
    </form>`;
  return { title: 'Connect a program', body, who: signedInHeader(session, carried), isWrong: entry.errors.length > 0 };
}

/** Shown to a person without an organization, who has nothing to grant access to. */
export function noOrganizationPage(client: OAuthClient, session: LiveSession, carried: Carried): Page {
  const body = html`<section>
    <p><bdi>${plainName(client)}</bdi> asks for access, but you are not a member of an organization yet.</p>
    <p><a href="${along('/organizations', carried.returnTo)}">Create an organization</a>, then continue from there.</p>
  </section>`;
  return { title: 'Connect a program', body, who: signedInHeader(session, carried) };
}

/** Shown for a request whose redirect address is not trusted. */
export function invalidRequestPage(
  { message, hint }: { readonly message: string; readonly hint: string | null },
  requestId: string,
): Page {
  const body = html`<div class="errors" role="alert">
      <p>The program that sent you here made an invalid request. Nothing was sent back to it.</p>
      <p class="soft">For its developers: ${message}.</p>
    </div>
    ${hint !== null && html`<p>${hint}</p>`}
    <p>Nothing in your account changed. <a href="/apps">Connected programs</a></p>
    <p class="soft">Request ${requestId}</p>`;
  return { title: 'This program cannot be connected', body, isWrong: true, status: 400 };
}
