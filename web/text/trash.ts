import { plural } from './format.ts';
import { words } from './words.ts';

/** Words of the trash. */
export const trash = words({
  title: 'Trash',
  lead: 'Documents here are hidden everywhere, and deleted for ever when their time is over.',
  emptyTitle: 'The trash is empty',
  empty: 'Documents that you move to the trash can be restored from here.',
  document: 'Document',
  when: 'Moved here',
  until: 'Deleted',
  restore: 'Restore',
  restored: 'Restored',
  remove: 'Delete for ever',
  removeTitle: 'Delete for ever',
  removeWords: (count: number) =>
    `${plural(count, 'document goes', 'documents go')} with everything that was read from them. This cannot be taken back.`,
  removed: 'Deleted',
  choose: (title: string) => `Choose ${title}`,
  chosen: (count: number) => `${count} chosen`,
});
