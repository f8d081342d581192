import { proved } from './requirement.ts';

/** The dashboard API for people who watch, review and correct. */
export const operators = [
  ...proved('Dashboard API', {
    'dashboard.statistics': [
      'Statistics count documents, runs, durations, the queue, model calls and storage, of one project or all',
      '0161-statistics-and-views',
    ],
    'dashboard.statistics.range': [
      'The range of statistics has at most 92 days; a longer or empty one is refused',
      '0161-statistics-and-views',
    ],
    'dashboard.reviews': [
      'The review queue has waiting questions and doubtful records, oldest first, with counts by kind and a cursor',
      '0162-review-queue',
    ],
    'dashboard.corrections.ocr': [
      'Corrected words and lines are a new OCR result with author and base; boxes stay, and search finds the new words',
      '0163-corrected-texts',
    ],
    'dashboard.corrections.stale': [
      'A correction of a version that is not the current one is refused, and of two at once one is stored',
      '0163-corrected-texts',
    ],
    'dashboard.corrections.description': [
      'A corrected description is a new version with its author, which search finds',
      '0163-corrected-texts',
    ],
    'dashboard.corrections.kept': [
      'A later run that uses the corrected result again indexes the corrected text',
      '0163-corrected-texts',
    ],
    'dashboard.corrections.outlast': [
      'A correction stays the current version when a run that began before it ends after it: reads, search and exports have it, and the result of the run is a version that is not current',
      '0268-corrections-outlast-earlier-runs',
    ],
    'dashboard.trash': [
      'A document in the trash is at once hidden from lists, searches, chats, records, reviews, runs and every address',
      '0164-trash',
    ],
    'dashboard.trash.list': ['The trash is listed with the time at which each document is deleted', '0164-trash'],
    'dashboard.trash.restore': [
      'A restored document is found and read as before, with its results, records and derived documents',
      '0164-trash',
    ],
    'dashboard.trash.expiry': [
      'After RETENTION_TRASH_DAYS a document in the trash is deleted as a permanent deletion does it, its bytes too',
      '0164-trash',
    ],
    'dashboard.documents.bulk': [
      'Up to 500 documents are moved to the trash, restored or deleted in one call, all of them or none',
      '0164-trash',
    ],
    'dashboard.views': [
      'Saved views are private, or shared with a project or the organization; only their owner and admins change them',
      '0161-statistics-and-views',
    ],
    'dashboard.preferences': ['Preferences belong to one person', '0161-statistics-and-views'],
  }),
];
