import { count, plural } from '../format.ts';
import { words } from '../words.ts';

const operators: Readonly<Record<string, string>> = { eq: '=', ne: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤' };

/** Words of the filters, order and counts of the list of documents. */
export const filters = words({
  open: 'Filters',
  any: 'Any',
  remove: (label: string, value: string) => `Remove ${label}: ${value}`,
  names: {
    query: 'Search',
    status: 'Latest run',
    type: 'File type',
    from: 'Added from',
    to: 'Added until',
    tag: 'Tag',
    workflow: 'Workflow',
    confidence: 'Confidence',
    text: 'Text',
    visibility: 'Visibility',
    key: 'Uploaded by key',
    project: 'Project',
    records: 'Records',
  },
  values: {
    noRun: 'No run yet',
    private: 'Private',
    public: 'Public',
    withText: 'With text',
    withoutText: 'Without text',
    below: (least: number) => `Below ${least} %`,
    from: (least: number) => `${least} % and more`,
  },
  /** `receipt;total~gt~20` of the address. */
  records: (value: string) =>
    value
      .split(';')
      .map((part) => part.replace(/~(\w+)~/, (_, operator: string) => ` ${operators[operator] ?? operator} `))
      .join(', '),
  counted: (label: string, value: number, isAtLeast: boolean) => `${label} (${count(value)}${isAtLeast ? '+' : ''})`,
  total: (value: number, isAtLeast: boolean) =>
    isAtLeast ? `${count(value)}+ documents` : plural(value, 'document', 'documents'),
  order: 'Order',
  orders: {
    created: 'Newest first',
    'created-asc': 'Oldest first',
    name: 'Name, A to Z',
    'name-desc': 'Name, Z to A',
    size: 'Largest first',
    'size-asc': 'Smallest first',
    'confidence-asc': 'Least confident first',
    confidence: 'Most confident first',
  },
});
