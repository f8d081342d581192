import type { ComponentProps } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { Link } from '../../router/link.tsx';
import { Download, Files, Table2 } from 'lucide-react';
import { address } from '../../api/client.ts';
import type { Input } from '../../api/families.ts';
import { pages, read } from '../../api/read.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { LoadMore } from '../../parts/table.tsx';
import { useCan, useProject } from '../../shell/session.ts';
import { SavedViews } from '../../shell/saved/saved-views.tsx';
import { records as words } from '../../text/records.ts';
import { Conditions } from './conditions.tsx';
import { RecordTable } from './record-table.tsx';
import { conditionsIn, filterJson, filterOf, recordsOf } from './search.ts';

const route = pageAt('/records');
const statuses = ['proposed', 'doubtful', 'confirmed'] as const;

type Query = NonNullable<Input<'records', 'query'>['query']>;

/** The rows that the table shows, all of them, as a file. */
function Downloads({ query }: { readonly query: Query }) {
  return (['csv', 'jsonl'] as const).map((format) => (
    <a
      key={format}
      className={buttonClass()}
      href={address('records', 'query', { query: { ...query, format } })}
      download
    >
      <Download size={14} aria-hidden />
      {words[format]}
    </a>
  ));
}

interface ToolsProps {
  /** null: the table is empty. */
  readonly query: ComponentProps<typeof Downloads>['query'] | null;
  /** null: a list of documents has no such filter, and would show more than the table. */
  readonly documents: { readonly project: string; readonly records: string } | null;
}

function Tools({ query, documents }: ToolsProps) {
  return (
    <>
      <SavedViews page="records" />
      {query !== null && (
        <>
          {documents !== null && (
            <Link to="/documents" search={documents} className={buttonClass()}>
              <Files size={14} aria-hidden />
              {words.documents}
            </Link>
          )}
          <Downloads query={query} />
        </>
      )}
    </>
  );
}

/** Records of a project as a table, by type: sorted, filtered, corrected and exported. */
export function RecordsPage() {
  const search = route.useSearch();
  const { navigate } = route;
  const { one } = useProject();
  const canEdit = useCan('documents:write');
  const projectId = one?.id ?? '';
  const types = useQuery({ ...read('records', 'types', { query: { projectId } }), enabled: projectId !== '' });
  const known = types.data?.recordTypes ?? [];
  const type =
    known.find(({ name }) => name === search.type) ?? known.find(({ name }) => name === 'receipt') ?? known[0];
  const conditions = conditionsIn(search.filter);
  const query = {
    recordType: type?.name,
    projectId,
    status: search.status,
    sort: search.sort,
    filter: filterJson(conditions),
  };
  const list = useInfiniteQuery({
    ...pages('records', 'query', { query: { ...query, limit: 50 } }),
    enabled: type !== undefined,
  });
  const rows = list.data?.pages.flatMap(({ records }) => records) ?? [];
  const shape = list.data?.pages[0]?.recordType ?? null;
  const fields = (shape?.fields ?? []).filter((field) => !field.includes('.'));
  const set = (fieldsOfSearch: Partial<typeof search>) =>
    navigate({ search: (old) => ({ ...old, ...fieldsOfSearch }), replace: true });
  const documents =
    search.status === undefined ? { project: projectId, records: recordsOf(type?.name ?? '', conditions) } : null;
  const isFiltered = conditions.length > 0 || search.status !== undefined;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={<Tools query={rows.length > 0 ? query : null} documents={documents} />}
    >
      <div className="mb-3 flex flex-wrap items-end gap-2">
        <SelectField
          label={words.type}
          isQuiet
          value={type?.name ?? ''}
          onChange={(event) => set({ type: event.currentTarget.value, filter: undefined, sort: undefined })}
        >
          {known.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={words.status}
          isQuiet
          value={search.status ?? ''}
          onChange={(event) => set({ status: statuses.find((name) => name === event.currentTarget.value) })}
        >
          <option value="">{words.anyStatus}</option>
          {statuses.map((name) => (
            <option key={name} value={name}>
              {words.statuses[name]}
            </option>
          ))}
        </SelectField>
        <Conditions
          fields={shape?.fields ?? []}
          conditions={conditions}
          onChange={(all) => set({ filter: filterOf(all) })}
        />
      </div>
      {types.error !== null && <Failure error={types.error} onRetry={() => void types.refetch()} />}
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {(types.isPending || list.isLoading) && projectId !== '' && <Skeleton lines={8} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty
          title={words.noneTitle}
          icon={<Table2 size={36} aria-hidden />}
          actions={
            isFiltered && <Button onClick={() => set({ filter: undefined, status: undefined })}>{words.clear}</Button>
          }
        >
          {isFiltered ? words.noMatch : words.none}
        </Empty>
      )}
      {rows.length > 0 && (
        <RecordTable
          fields={fields}
          records={rows}
          type={type}
          sort={search.sort}
          onSort={(sort) => set({ sort })}
          canEdit={canEdit}
        />
      )}
      <LoadMore of={list} />
    </Page>
  );
}
