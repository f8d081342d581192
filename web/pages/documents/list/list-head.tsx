import { pageAt } from '../../../router/navigate.ts';
import type { Reply } from '../../../api/families.ts';
import { filters as words } from '../../../text/list/filters.ts';
import { FilterBar } from './filter-bar.tsx';
import { ListTools } from './list-tools.tsx';
import { SortChoice } from './sort-choice.tsx';

const route = pageAt('/documents');

/** Head of the list: search, view, filters, number of matches and order. */
export function ListHead({ total }: { readonly total: Reply<'documents', 'list'>['total'] }) {
  const search = route.useSearch();
  const { navigate } = route;
  const change = (name: string, value: string | undefined) =>
    navigate({ search: (old) => ({ ...old, [name]: value }), replace: true });
  return (
    <>
      <ListTools
        query={search.query ?? ''}
        onSearch={(text) => change('query', text === '' ? undefined : text)}
        view={search.view ?? 'grid'}
        onView={(view) => change('view', view === 'grid' ? undefined : view)}
      />
      <FilterBar chosen={search} onChange={change}>
        {total !== undefined && (
          <span role="status" className="text-xs text-muted">
            {words.total(total.value, total.relation === 'gte')}
          </span>
        )}
        {search.query === undefined && <SortChoice order={search.sort ?? 'created'} onChange={change} />}
      </FilterBar>
    </>
  );
}
