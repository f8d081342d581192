import type { Reply } from '../../../api/families.ts';
import { filters as words } from '../../../text/list/filters.ts';
import { runStates } from '../../../text/shell.ts';
import { filterNames, type FilterName } from './filter-names.ts';

type Facet = keyof NonNullable<Reply<'documents', 'list'>['facets']>;
export type Choice = readonly [value: string, label: string];

/** Names to choose from. `keys` is undefined for people who may not see keys. */
export interface Known {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly workflows: readonly { readonly workflowId: string; readonly name: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string }[] | undefined;
}

/** One filter as people see it. */
interface Filter {
  readonly label: string;
  /** Values to choose from, with their words. `date`: any day. `text`: any text. `given`: only links set it. */
  readonly values: 'date' | 'text' | 'given' | ((known: Known) => readonly Choice[]);
  /** Count of documents for each value, which the list adds on request. */
  readonly facet?: Facet;
}

const { names, values: texts } = words;
const fixed = (choices: Readonly<Record<string, string>>) => ({ values: () => Object.entries(choices) });

// Executions end partly; a run does not.
const { partially_succeeded: _, ...statuses } = runStates;
const types = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/heif': 'HEIF',
  'image/tiff': 'TIFF',
  'image/gif': 'GIF',
};
const confidences = { 'below-70': texts.below(70), 'below-85': texts.below(85), 'from-85': texts.from(85) };

/** Filters of the list, a row each. The bar and its chips come from this table. */
const filters: Readonly<Record<FilterName, Filter>> = {
  status: { label: names.status, facet: 'status', ...fixed({ ...statuses, none: texts.noRun }) },
  type: { label: names.type, facet: 'type', ...fixed(types) },
  from: { label: names.from, values: 'date' },
  to: { label: names.to, values: 'date' },
  tag: { label: names.tag, values: 'text' },
  workflow: {
    label: names.workflow,
    facet: 'workflow',
    values: ({ workflows }) => workflows.map(({ workflowId, name }) => [workflowId, name]),
  },
  confidence: { label: names.confidence, ...fixed(confidences) },
  text: { label: names.text, ...fixed({ true: texts.withText, false: texts.withoutText }) },
  visibility: {
    label: names.visibility,
    facet: 'visibility',
    ...fixed({ private: texts.private, public: texts.public }),
  },
  key: { label: names.key, facet: 'key', values: ({ keys = [] }) => keys.map(({ id, name }) => [id, name]) },
  project: {
    label: names.project,
    facet: 'project',
    values: ({ projects }) => projects.map(({ id, name }) => [id, name]),
  },
  records: { label: names.records, values: 'given' },
};

export const filterOf = (name: FilterName): Filter => filters[name];

/** Counts that the open bar asks for. */
export const facets = filterNames.flatMap((name) => filterOf(name).facet ?? []).join(',');
