import { known, oneOf, text, type Raw } from '../../state/search.ts';

export const panels = ['node', 'problems', 'versions', 'test', 'settings'] as const;
export type Panel = (typeof panels)[number];

function version(raw: Raw, name: string): 'draft' | 'published' | number | undefined {
  const asked = text(raw, name);
  if (asked === 'draft' || asked === 'published') return asked;
  const number = Number(asked);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** The version that shows, the one it is compared with, the node, the panel, and the document and run of a test, as the address keeps them. */
export const workflowSearch = (raw: Raw) =>
  known({
    version: version(raw, 'version'),
    compare: version(raw, 'compare'),
    node: text(raw, 'node'),
    tab: oneOf(raw, 'tab', panels),
    document: text(raw, 'document'),
    run: text(raw, 'run'),
  });
