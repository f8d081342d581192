import { words } from './words.ts';

/** Words of the live feed. */
export const feed = words({
  title: 'Live feed',
  lead: 'Everything that happens in the organization, as it happens.',
  emptyTitle: 'Quiet',
  empty: 'New documents, results and runs appear here as they happen. Earlier ones are under Documents and Runs.',
  pause: 'Pause',
  resume: 'Resume',
  pagesRead: (read: number, pages: number) => `page ${read} of ${pages}`,
  events: {
    'document.created': 'Document uploaded',
    'document.deleted': 'Document deleted',
    'ocr.created': 'Text recognized',
    'description.upserted': 'Description written',
    'segmentation.created': 'Regions found',
    'run.created': 'Run created',
    'run.step.changed': 'Step',
    'run.completed': 'Run ended',
    'workflow.emitted': 'Message of a workflow',
    'experiment.changed': 'Experiment changed',
    'record.changed': 'Record changed',
    'workflow.changed': 'Workflow changed',
    reset: 'Feed began anew',
  },
  openDocument: 'Document',
  openRun: 'Run',
});
