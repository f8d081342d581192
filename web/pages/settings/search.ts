import { known, oneOf, type Raw } from '../../state/search.ts';

export const sections = ['members', 'projects', 'keys', 'secrets', 'webhooks', 'programs', 'audit', 'usage'] as const;
export type Section = (typeof sections)[number];

export const settingsSearch = (raw: Raw) => known({ section: oneOf(raw, 'section', sections) });
