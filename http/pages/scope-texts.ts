import type { GrantScope } from '#src/contracts/scopes.ts';

/** What a scope lets a program do, for people. */
export const scopeTexts: Readonly<Record<GrantScope, { readonly name: string; readonly hint: string }>> = {
  'workflows:read': { name: 'See workflows', hint: 'Read workflows, their versions and how they differ.' },
  'workflows:write': {
    name: 'Edit workflows',
    hint: 'Change drafts, and delete workflows. Documents take a new way only once it is published.',
  },
  'workflows:publish': {
    name: 'Publish workflows',
    hint: 'Make a draft the version that documents go through from then on.',
  },
  'runs:read': { name: 'See runs', hint: 'Read runs, each of their steps, and their results.' },
  'runs:execute': { name: 'Run workflows', hint: 'Start, cancel and answer runs. They take time and model calls.' },
  'documents:read': { name: 'Read documents', hint: 'Search documents, read their text and look at their pages.' },
  'documents:write': {
    name: 'Add, change and delete documents',
    hint: 'Upload documents, make them public or private, and delete them.',
  },
  'keys:manage': {
    name: 'Manage API keys',
    hint: 'Create and revoke keys. Keys that this program makes end with its access.',
  },
};

/** Names of scopes in a sentence. */
export const scopeNames = (scopes: readonly GrantScope[]): string =>
  scopes.map((scope) => scopeTexts[scope].name).join(' · ');
