import type { Client, ConnectedApp } from '#src/contracts/organization/app.ts';
import type { GrantScope } from '#src/contracts/scopes.ts';
import type { LiveSession } from '#src/domain/ports/sessions.ts';
import type { Carried } from '#http/pages/account.ts';
import { box, fieldOf, summaryOf, type Entry, type Field } from '#http/pages/fields.ts';
import { html, type Content, type Markup } from '#http/pages/html.ts';
import type { Page } from '#http/pages/layout.ts';
import { signedInHeader } from '#http/pages/organizations.ts';
import { scopeHints, scopeNames, scopeTexts } from '#http/pages/scope-texts.ts';

export interface AppsView {
  readonly session: LiveSession;
  readonly organizationName: string;
  readonly apps: readonly ConnectedApp[];
  /** Scopes that the viewer can give to a program. */
  readonly grantable: readonly GrantScope[];
  /** null for people who may not manage programs. */
  readonly own: {
    readonly clients: readonly Client[];
    readonly projects: readonly { readonly id: string; readonly name: string }[];
    readonly chosen: { readonly projectIds: readonly string[]; readonly scopes: readonly string[] };
    /** Shown once only. */
    readonly issued: { readonly clientId: string; readonly secret: string } | null;
    readonly tokenAddress: string;
  } | null;
  readonly done: string | null;
}

const clientFields: readonly Field[] = [
  { name: 'name', label: 'Name of the program', type: 'text', autocomplete: 'off', maxLength: 200 },
];
const groups = [
  { name: 'projectIds', label: 'Projects' },
  { name: 'scopes', label: 'What it may do' },
] as const;

const day = (at: string | null, otherwise: string): string => at?.slice(0, 10) ?? otherwise;

function facts(lines: readonly (readonly [name: string, value: Content])[]): Markup {
  return html`<dl>
    ${lines.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

const common = (one: Pick<ConnectedApp, 'projects' | 'scopes' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>) =>
  [
    ['Permissions', scopeNames(one.scopes)],
    ['Projects', one.projects.map(({ name }) => name).join(', ')],
    ['Connected', day(one.createdAt, '')],
    ['Last used', day(one.lastUsedAt, 'never')],
    ['Ends', day(one.expiresAt, 'when you disconnect it')],
  ] as const;

/** Changes what the viewer's own program may do. It goes on without a new connection. */
function changePart({ id, scopes }: ConnectedApp, grantable: readonly GrantScope[], { token }: Carried): Markup {
  return html`<details>
    <summary>Change what it may do</summary>
    <form method="post" action="/apps/change" aria-describedby="${id}">
      ${token}
      <input type="hidden" name="appId" value="${id}" />
      <div class="boxes">
        ${grantable.map((scope) =>
          box({
            name: 'scope',
            value: scope,
            isChecked: scopes.includes(scope),
            label: html`<strong>${scopeTexts[scope].name}</strong> ${scopeHints(scope)}`,
          }),
        )}
      </div>
      <div class="decision"><button>Save</button></div>
    </form>
  </details>`;
}

function appLine(app: ConnectedApp, grantable: readonly GrantScope[], carried: Carried): Markup {
  const { token } = carried;
  const { id, name, redirectHost, user, isYours, clientId } = app;
  return html`<li>
    <div class="row">
      <h3 id="${id}"><bdi>${name}</bdi></h3>
      <form method="post" action="/apps/disconnect">
        ${token}
        <input type="hidden" name="appId" value="${id}" />
        <button class="bad" aria-describedby="${id}">Disconnect</button>
      </form>
    </div>
    ${facts([
      [
        'Acts for',
        isYours
          ? 'you'
          : user.email === ''
            ? 'a former member'
            : html`${user.name} <span class="soft">${user.email}</span>`,
      ],
      ['Redirects to', html`<bdi>${redirectHost ?? ''}</bdi>`],
      ...(clientId.startsWith('https:') ? [['Described at', html`<bdi>${clientId}</bdi>`] as const] : []),
      ...common(app),
    ])}
    ${isYours && changePart(app, grantable, carried)}
  </li>`;
}

function clientLine(client: Client, { token }: Carried): Markup {
  const { clientId, name } = client;
  return html`<li>
    <div class="row">
      <h3 id="${clientId}"><bdi>${name}</bdi></h3>
      <form method="post" action="/apps/clients/remove">
        ${token}
        <input type="hidden" name="clientId" value="${clientId}" />
        <button class="bad" aria-describedby="${clientId}">Remove</button>
      </form>
    </div>
    ${facts([['Client id', html`<code>${clientId}</code>`], ...common(client)])}
  </li>`;
}

function issuedPart({ clientId, secret }: { clientId: string; secret: string }, tokenAddress: string): Markup {
  return html`<div class="done" role="status" tabindex="-1" autofocus>
    <p><strong>The program was created. Copy its secret now: it is not shown again.</strong></p>
    ${facts([
      ['Client id', html`<code class="secret">${clientId}</code>`],
      ['Client secret', html`<code class="secret">${secret}</code>`],
      ['Token endpoint', html`<code class="secret">${tokenAddress}</code>`],
    ])}
  </div>`;
}

function newClientPart(
  { grantable }: AppsView,
  own: NonNullable<AppsView['own']>,
  entry: Entry,
  { token }: Carried,
): Markup {
  const { projects, chosen } = own;
  return html`<section aria-labelledby="new-client">
    <h2 id="new-client">New program</h2>
    <p class="soft">
      It signs in with a client id and a secret (client credentials) and acts for the organization, not for a person.
    </p>
    <form class="consent" method="post" action="/apps/clients">
      ${token} ${clientFields.map((field) => fieldOf(field, entry))}
      <fieldset id="projectIds" tabindex="-1">
        <legend>Projects</legend>
        <div class="boxes short">
          ${projects.map(({ id, name }) =>
            box({ name: 'project', value: id, isChecked: chosen.projectIds.includes(id), label: name }),
          )}
        </div>
      </fieldset>
      <fieldset id="scopes" tabindex="-1">
        <legend>What it may do</legend>
        <div class="boxes">
          ${grantable.map((scope) =>
            box({
              name: 'scope',
              value: scope,
              isChecked: chosen.scopes.includes(scope),
              label: html`<strong>${scopeTexts[scope].name}</strong> ${scopeHints(scope)}`,
            }),
          )}
        </div>
      </fieldset>
      <div class="decision"><button>Create program</button></div>
    </form>
  </section>`;
}

/** Programs that act for people of the organization, and programs of the organization itself. */
export function appsPage(view: AppsView, entry: Entry, carried: Carried): Page {
  const { session, organizationName, apps, grantable, own, done } = view;
  const list = (lines: readonly Markup[], none: string): Markup =>
    lines.length > 0
      ? html`<ul>
          ${lines}
        </ul>`
      : html`<p class="soft">${none}</p>`;
  const body = html`${summaryOf(entry, [...clientFields, ...groups])}
    ${done !== null && html`<p class="done" role="status">${done}</p>`}
    ${own !== null && own.issued !== null && issuedPart(own.issued, own.tokenAddress)}
    <p><a href="/organizations">Your organizations</a> · Active organization: <strong>${organizationName}</strong>.</p>
    <section aria-labelledby="apps">
      <h2 id="apps">Programs that act for ${own === null ? 'you' : 'people'}</h2>
      ${list(
        apps.map((app) => appLine(app, grantable, carried)),
        'No program is connected. A program asks you when it wants access.',
      )}
    </section>
    ${
      own !== null &&
      html`<section aria-labelledby="clients">
          <h2 id="clients">Programs of ${organizationName}</h2>
          ${list(
            own.clients.map((client) => clientLine(client, carried)),
            'The organization has no programs yet.',
          )}
        </section>
        ${newClientPart(view, own, entry, carried)}`
    }`;
  const isWrong = entry.problem !== null || entry.errors.length > 0;
  return { title: 'Connected programs', body, who: signedInHeader(session, carried), isWrong };
}
