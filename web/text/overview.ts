import { plural } from './format.ts';
import { words } from './words.ts';

/** Words of the first page. */
export const overview = words({
  title: 'Overview',
  days: (days: number) => `Last ${plural(days, 'day', 'days')}`,
  range: 'Range',
  incomplete: 'The range has more than is counted here: only the newest are.',
  documents: 'Documents',
  runs: 'Runs',
  failureRate: 'Failed',
  duration: 'Time of a run',
  p95: (time: string) => `95% take at most ${time}`,
  queue: 'In the queue',
  oldest: (time: string) => `the oldest waits ${time}`,
  waiting: 'Wait for you',
  storage: 'Stored',
  objects: (count: number) => plural(count, 'object', 'objects'),
  models: 'Models',
  calls: (count: number) => plural(count, 'call', 'calls'),
  cost: (usd: number) => `$${usd.toFixed(2)}`,
  documentsByDay: 'Documents by day',
  runsByDay: 'Runs by day',
  succeeded: 'Succeeded',
  failed: 'Failed',
  other: 'Other',
  day: 'Day',
  workflows: 'Most used workflows',
  workflow: 'Workflow',
  review: 'Review them',
  none: '–',
  first: 'Upload your first document',
});
