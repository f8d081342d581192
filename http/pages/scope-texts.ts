import type { GrantScope } from '#src/contracts/scopes.ts';

/** Explains each scope to people. */
export const scopeTexts: Readonly<Record<GrantScope, { readonly name: string; readonly hint: string }>> = {
  'workflows:read': { name: 'See workflows', hint: 'Read workflows, their versions and how they differ.' },
  'workflows:write': {
    name: 'Edit workflows',
    hint: 'Change drafts, and delete workflows. A draft takes effect only when it is published.',
  },
  'workflows:publish': {
    name: 'Publish workflows',
    hint: 'Make a draft the version that new runs use.',
  },
  'runs:read': { name: 'See runs', hint: 'Read runs, their steps and their results.' },
  'runs:execute': {
    name: 'Run workflows',
    hint: 'Start and cancel runs, and answer their questions. Runs cost time and model calls.',
  },
  'documents:read': { name: 'Read documents', hint: 'Search documents, read their text and view their pages.' },
  'documents:write': {
    name: 'Add, change and delete documents',
    hint: 'Upload documents, make them public or private, and delete them.',
  },
  'keys:manage': {
    name: 'Manage API keys',
    hint: 'Create and revoke keys. Keys that this program creates end with its access.',
  },
};

/** Joins the names of scopes for display. */
export const scopeNames = (scopes: readonly GrantScope[]): string =>
  scopes.map((scope) => scopeTexts[scope].name).join(' · ');
