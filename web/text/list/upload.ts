import { plural } from '../format.ts';
import { words } from '../words.ts';

/** Words of the upload of documents. */
export const upload = words({
  title: 'Upload documents',
  choose: 'Choose files',
  drop: 'Drop images or PDFs here, paste them, or choose files.',
  types: (withHeic: boolean) => `PNG, JPEG, WebP, AVIF, ${withHeic ? 'HEIC, ' : ''}TIFF, GIF and PDF`,
  limit: (most: string) => `Up to ${most} a file`,
  files: (count: number) => plural(count, 'file', 'files'),
  project: 'Project',
  workflow: 'Then run',
  none: 'Nothing',
  workflowHint: 'Without a workflow the files are kept, and nothing is read.',
  start: (count: number) => (count === 0 ? 'Upload' : `Upload ${plural(count, 'file', 'files')}`),
});
