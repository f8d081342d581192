import type { GrantScope } from '#src/contracts/scopes.ts';
import { html, type Markup } from '#http/pages/html.ts';

/** Words for people: `hint` says what a program may do with the scope, `without` what it cannot do when the scope is left out. */
export const scopeTexts: Readonly<
  Record<GrantScope, { readonly name: string; readonly hint: string; readonly without: string }>
> = {
  'workflows:read': {
    name: 'See workflows',
    hint: 'Read workflows, their versions and how they differ.',
    without: 'It cannot see workflows.',
  },
  'workflows:write': {
    name: 'Edit workflows',
    hint: 'Change drafts, and delete workflows. A draft takes effect only when it is published.',
    without: 'It cannot create, change or delete workflows.',
  },
  'workflows:publish': {
    name: 'Publish workflows',
    hint: 'Make a draft the version that new runs use.',
    without: 'It cannot publish: runs keep the versions that people published.',
  },
  'runs:read': {
    name: 'See runs',
    hint: 'Read runs, their steps and their results.',
    without: 'It cannot see runs or their results.',
  },
  'runs:execute': {
    name: 'Run workflows',
    hint: 'Start and cancel runs, and answer their questions. Runs cost time and model calls.',
    without: 'It cannot start or cancel runs, or answer their questions.',
  },
  'documents:read': {
    name: 'Read documents',
    hint: 'Search documents, read their text and view their pages.',
    without: 'It cannot find or read documents.',
  },
  'documents:write': {
    name: 'Add, change and delete documents',
    hint: 'Upload documents, make them public or private, and delete them.',
    without: 'It cannot add, correct or delete documents.',
  },
  'keys:manage': {
    name: 'Manage API keys',
    hint: 'Create and revoke keys. Keys that this program creates end with its access.',
    without: 'It cannot create or revoke keys.',
  },
};

/** Joins the names of scopes for display. */
export const scopeNames = (scopes: readonly GrantScope[]): string =>
  scopes.map((scope) => scopeTexts[scope].name).join(' · ');

/** Both texts of a scope. The style sheet shows the one that fits the box, also without scripts. */
export const scopeHints = (scope: GrantScope): Markup =>
  html`<span class="hint with">${scopeTexts[scope].hint}</span
    ><span class="hint without">${scopeTexts[scope].without}</span>`;
