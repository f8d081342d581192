import { words } from '../words.ts';

/** Words of saved views. */
export const views = words({
  open: 'Views',
  title: 'Saved views',
  none: 'No views are saved for this page. A view keeps its filters and order.',
  list: 'Views of this page',
  shared: 'Shared',
  remove: (name: string) => `Delete the view ${name}`,
  removed: 'The view is deleted.',
  save: 'Save this view',
  name: 'Name',
  sharing: 'Who sees it',
  sharings: { private: 'Only me', organization: 'Everybody in the organization' },
  saved: 'The view is saved.',
  nothing: 'Set a filter or an order first: this page shows everything.',
});
