import { known, oneOf, text, whole, type Raw } from '../../state/search.ts';

export const documentTabs = ['text', 'fields', 'description', 'segmentations', 'runs', 'ask'] as const;
export type DocumentTab = (typeof documentTabs)[number];

/** Place on a document: `page` counts from 0, `box` is `x,y,width,height` as fractions of the page. */
export const documentSearch = (raw: Raw) =>
  known({ page: whole(raw, 'page'), tab: oneOf(raw, 'tab', documentTabs), box: text(raw, 'box') });
