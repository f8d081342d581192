import { proved } from './requirement.ts';

/** Lists: filters, orders, numbers and pages. */
export const lists = [
  ...proved('Requests and responses', {
    'lists.latest_run': [
      'A document card has the run that was created last, with its workflow, status, time and error; runs of experiments do not count',
      '0155-documents-name-their-latest-run',
    ],
    'lists.last_run': [
      'A document of the service API has its last run, with status and error',
      '0155-documents-name-their-latest-run',
    ],
    'lists.latest_run.order': [
      'A change of a run that is written late does not take the place of a newer one',
      '0155-documents-name-their-latest-run',
    ],
    'lists.latest_run.older': [
      'Documents of older versions get their latest run by the migration',
      '0155-documents-name-their-latest-run',
    ],
    'lists.documents.filters': [
      'Lists of documents narrow by creation, type, run status, confidence, workflow, key, visibility, text and project, and all conditions hold',
      '0156-lists-of-documents',
    ],
    'lists.documents.sort': [
      'Lists of documents sort by creation, name, size or confidence in both directions, over all pages',
      '0156-lists-of-documents',
    ],
    'lists.documents.cursor': ['A cursor belongs to the filters and the order of its list', '0156-lists-of-documents'],
    'lists.search': [
      'Filters narrow a search too, and offset gives its further pages, each match once',
      '0156-lists-of-documents',
    ],
    'lists.total': ['total=true adds the number of documents, exact up to 1,000', '0156-lists-of-documents'],
    'lists.facets': [
      'facets adds the counts of values; the filter of a facet does not narrow its own counts',
      '0156-lists-of-documents',
    ],
    'lists.query_empty': 'An empty query is none',
    'lists.limit_capped': [
      'A limit above the maximum counts as the maximum, and the response says so, over REST and MCP',
      '0156-lists-of-documents',
    ],
    'lists.etag': [
      'Lists and single resources have an ETag, and a client that has this body gets 304',
      '0156-lists-of-documents',
    ],
    'lists.runs.filters': [
      'Lists of runs narrow by document, workflow, key, several statuses and creation',
      '0157-lists-of-runs-and-executions',
    ],
    'lists.runs.names': [
      'Runs in the dashboard have the title of their document and the present name of their workflow, read once a page',
      '0157-lists-of-runs-and-executions',
    ],
    'lists.runs.counts': [
      'counts=true adds the number of runs by status, as if status was not given',
      '0157-lists-of-runs-and-executions',
    ],
    'lists.executions': [
      'Executions are listed by what one of their runs has, newest first and page by page',
      '0157-lists-of-runs-and-executions',
    ],
    'lists.documents.records': [
      'Lists, searches and exports of documents narrow by the fields of their records',
      '0201-documents-by-the-fields-of-their-records',
    ],
    'documents.filtered': [
      'A run, a change of visibility and the trash take all documents that match a filter, each once, in calls of up to 500',
      '0202-actions-on-all-that-match-a-filter',
    ],
    'service.executions.filter': [
      'scope.filter of an execution runs a workflow on the documents that match, and its counts tell the progress',
      '0202-actions-on-all-that-match-a-filter',
    ],
  }),
  ...proved('Dashboard API', {
    'dashboard.ocr.page':
      'page narrows the OCR results of a document to one page, and pageCount has the number of pages',
    'dashboard.query_typed': 'A misspelt name in the query of a dashboard route does not compile',
  }),
] as const;
