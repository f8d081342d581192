import type { Input } from '../../../api/families.ts';
import type { useSession } from '../../../shell/session.ts';
import { documents as words } from '../../../text/documents.ts';
import { filterNames, type FilterName } from './filter-names.ts';

type Query = NonNullable<Input<'documents', 'list'>['query']>;

/** One filter: a parameter of the address, and how the API takes it. */
interface Filter {
  readonly label: string;
  /** Field of the list row that it becomes. */
  readonly field: keyof Query;
  /** Values to choose from, with their words. `date`: any day. */
  readonly values: 'date' | ((session: ReturnType<typeof useSession>) => readonly (readonly [string, string])[]);
  /** Value of the field, where it differs from that of the address. */
  readonly asked?: (value: string) => string;
}

/** Filters of the list, a row each. The bar, its chips, the address and the request come from this table. */
const filters = {
  project: {
    label: words.filterNames.project,
    field: 'projectId',
    values: ({ projects }) => projects.map(({ id, name }) => [id, name] as const),
  },
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
