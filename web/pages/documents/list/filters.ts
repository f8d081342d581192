import type { Input } from '../../../api/families.ts';
import type { useSession } from '../../../shell/session.ts';
import { documentTypes } from '../../../shell/file-types.ts';
import { runStates } from '../../../text/shell.ts';
import { documents as words } from '../../../text/documents.ts';
import { filterNames, type FilterName } from './filter-names.ts';

type Query = NonNullable<Input<'documents', 'list'>['query']>;

/** One filter: a parameter of the address, and how the API takes it. */
interface Filter {
  readonly label: string;
  /** Field of the list row that it becomes. */
  readonly field: keyof Query;
  /** Values to choose from, with their words. `date`: any day; `text`: any text. */
  readonly values:
    | 'date'
    | 'text'
    | ((session: ReturnType<typeof useSession>) => readonly (readonly [string, string])[]);
  /** Value of the field, where it differs from that of the address. */
  readonly asked?: (value: string) => string;
}

const named = words.filterValues;
/** Days begin and end where the person is. */
const startOf = (day: string): string => new Date(`${day}T00:00`).toISOString();
const endOf = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString();

/** Filters of the list, a row each. The bar, its chips, the address and the request come from this table. */
const filters = {
  project: {
    label: words.filterNames.project,
    field: 'projectId',
    values: ({ projects }) => projects.map(({ id, name }) => [id, name] as const),
  },
  status: {
    label: words.filterNames.status,
    field: 'status',
    values: () => [
      ...Object.entries(runStates).filter(([name]) => name !== 'partially_succeeded'),
      ['none', named.noRun],
    ],
  },
  type: {
    label: words.filterNames.type,
    field: 'contentType',
    values: () => documentTypes.map((type) => [type, type.replace(/^.*\//, '').toUpperCase()] as const),
  },
  visibility: {
    label: words.filterNames.visibility,
    field: 'visibility',
    values: () => [
      ['private', named.private],
      ['public', named.public],
    ],
  },
  hasText: {
    label: words.filterNames.hasText,
    field: 'hasText',
    values: () => [
      ['true', named.withText],
      ['false', named.withoutText],
    ],
  },
  confidence: {
    label: words.filterNames.confidence,
    field: 'maxConfidence',
    values: () => [70, 85, 95].map((percent) => [String(percent), named.below(percent)] as const),
  },
  from: { label: words.filterNames.from, field: 'createdAfter', values: 'date', asked: startOf },
  to: { label: words.filterNames.to, field: 'createdBefore', values: 'date', asked: endOf },
  tag: { label: words.filterNames.tag, field: 'tag', values: 'text' },
} as const satisfies Readonly<Record<FilterName, Filter>>;

export const filterOf = (name: FilterName): Filter => filters[name];

/** Fields of the list row for the filters of an address. */
export function askedFilters(search: { readonly [Name in FilterName]?: string }): Partial<Query> {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const { field, asked = (value) => value } = filterOf(name);
      const value = search[name];
      return value === undefined ? [] : [[field, asked(value)]];
    }),
  );
}
