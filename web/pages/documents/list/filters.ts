import type { Input, Reply } from '../../../api/families.ts';
import { documents as words } from '../../../text/documents.ts';
import { runStates } from '../../../text/shell.ts';
import { filterNames, type FilterName, type Order } from './filter-names.ts';

type Query = NonNullable<Input<'documents', 'list'>['query']>;
type Facet = keyof NonNullable<Reply<'documents', 'list'>['facets']>;
export type Choice = readonly [value: string, label: string];

/** What the choices come from. `keys` is undefined for people who may not see keys. */
export interface Known {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly workflows: readonly { readonly workflowId: string; readonly name: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string }[] | undefined;
}

/** One filter: a parameter of the address, and how the API takes it. */
interface Filter {
  readonly label: string;
  /** Values to choose from, with their words. `date`: any day. `text`: any text. */
  readonly values: 'date' | 'text' | ((known: Known) => readonly Choice[]);
  /** Fields of the list row that a value becomes. A value that means nothing becomes none. */
  readonly asked: (value: string) => Partial<Query>;
  /** Count of documents for each value, which the list adds on request. */
  readonly facet?: Facet;
}

const { filterNames: labels, filterValues: texts } = words;

/** Beginning of a day in the person's own time zone, `days` later. Undefined: no date. */
export function startOfDay(date: string, days = 0): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (day === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(day) + days);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

const typeNames = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
  'image/avif': 'AVIF',
  'image/tiff': 'TIFF',
  'image/gif': 'GIF',
} as const;

const among = <Value extends string>(values: Readonly<Record<Value, unknown>>, value: string): value is Value =>
  Object.hasOwn(values, value);

/** Choices from a table of words, and only its values become a field. */
function fixed(field: keyof Query, choices: Readonly<Record<string, string>>) {
  return {
    values: () => Object.entries(choices),
    asked: (value: string): Partial<Query> => (among(choices, value) ? { [field]: value } : {}),
  };
}

// Executions end partly; a run does not.
const { partially_succeeded: _, ...ofRuns } = runStates;
const statuses = { ...ofRuns, none: texts.noRun };
const visibilities = { private: texts.private, public: texts.public };
const textStates = { true: texts.withText, false: texts.withoutText };
const confidences = { 'below-70': texts.below(70), 'below-85': texts.below(85), 'from-85': texts.from(85) };
const bounds: Readonly<Record<string, Partial<Query>>> = {
  'below-70': { maxConfidence: 69.999 },
  'below-85': { maxConfidence: 84.999 },
  'from-85': { minConfidence: 85 },
};

/** Filters of the list, a row each. The bar, its chips, the address and the request come from this table. */
const filters: Readonly<Record<FilterName, Filter>> = {
  status: { label: labels.status, facet: 'status', ...fixed('status', statuses) },
  type: { label: labels.type, facet: 'type', ...fixed('contentType', typeNames) },
  from: {
    label: labels.from,
    values: 'date',
    asked: (value) => ({ createdAfter: startOfDay(value) }),
  },
  to: {
    label: labels.to,
    values: 'date',
    asked: (value) => ({ createdBefore: startOfDay(value, 1) }),
  },
  tag: { label: labels.tag, values: 'text', asked: (value) => ({ tag: value }) },
  workflow: {
    label: labels.workflow,
    facet: 'workflow',
    values: ({ workflows }) => workflows.map(({ workflowId, name }) => [workflowId, name]),
    asked: (value) => ({ workflowId: value }),
  },
  confidence: {
    label: labels.confidence,
    values: () => Object.entries(confidences),
    asked: (value) => bounds[value] ?? {},
  },
  text: { label: labels.text, ...fixed('hasText', textStates) },
  visibility: { label: labels.visibility, facet: 'visibility', ...fixed('visibility', visibilities) },
  key: {
    label: labels.key,
    facet: 'key',
    values: ({ keys = [] }) => keys.map(({ id, name }) => [id, name]),
    asked: (value) => ({ apiKeyId: value }),
  },
  project: {
    label: labels.project,
    facet: 'project',
    values: ({ projects }) => projects.map(({ id, name }) => [id, name]),
    asked: (value) => ({ projectId: value }),
  },
};

export const filterOf = (name: FilterName): Filter => filters[name];

/** Counts that the open bar asks for. */
export const facets = filterNames.flatMap((name) => filterOf(name).facet ?? []).join(',');

/** Fields of the list row for the filters of an address. */
export function askedFilters(search: { readonly [Name in FilterName]?: string }): Partial<Query> {
  const fields: Partial<Query> = {};
  for (const name of filterNames) {
    const value = search[name];
    if (value !== undefined) Object.assign(fields, filterOf(name).asked(value));
  }
  return fields;
}

/** Fields of the list row for an order. A search takes none: it is in the order of its matches. */
export function askedOrder(order: Order | undefined): Pick<Query, 'sort' | 'order'> {
  if (order === undefined) return {};
  const [sort, direction] = order.split('-') as ['created', 'asc' | 'desc' | undefined];
  return { sort, order: direction ?? (order === 'name' ? 'asc' : 'desc') };
}
