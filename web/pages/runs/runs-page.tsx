import { useInfiniteQuery } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { Activity, ArrowLeft, Columns2 } from 'lucide-react';
import { useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { pages } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { LoadMore } from '../../parts/table.tsx';
import { SavedViews } from '../../shell/saved/saved-views.tsx';
import { useCan } from '../../shell/session.ts';
import { runs as words } from '../../text/runs.ts';
import { CompareRuns } from './compare.tsx';
import { RunFilters } from './filters.tsx';
import { ManyActions } from './many-actions.tsx';
import { RunRow } from './run-row.tsx';
import { conditionsOf, runTabs } from './search.ts';

const route = pageAt('/runs');
type Row = Reply<'runs', 'list'>['runs'][number];

const heads = [words.state, words.workflow, words.document, words.created, words.took, words.problem];

interface TableProps {
  readonly rows: readonly Row[];
  readonly chosen: readonly string[];
  readonly onChoose: (runId: string) => void;
}

function Table({ rows, chosen, onChoose }: TableProps) {
  const canRun = useCan('runs:execute');
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{words.compareColumn}</span>
            </th>
            {heads.map((head) => (
              <th
                key={head}
                scope="col"
                className={head === words.took ? 'number' : head === words.document ? 'stays' : ''}
              >
                {head}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">{words.retry}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((run) => (
            <RunRow
              key={run.runId}
              run={run}
              canRun={canRun}
              isChosen={chosen.includes(run.runId)}
              onChoose={() => onChoose(run.runId)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Runs of the organization by state, newest first. */
function RunsList() {
  const search = route.useSearch();
  const { status = 'all', drafts } = search;
  const { navigate } = route;
  const [chosen, choose] = useState<readonly string[]>([]);
  const query = {
    ...conditionsOf(search),
    status: status === 'all' ? undefined : status,
    drafts: drafts === 'yes' ? true : undefined,
    counts: true,
    limit: 50,
  };
  const list = useInfiniteQuery(pages('runs', 'list', { query }));
  const rows = list.data?.pages.flatMap(({ runs }) => runs) ?? [];
  const counts = list.data?.pages[0]?.counts;
  const [first, second] = chosen;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews page="runs" />
          {first !== undefined && (
            <Button
              icon={<Columns2 size={14} aria-hidden />}
              disabled={second === undefined}
              onClick={() => navigate({ search: (old) => ({ ...old, compare: `${first},${second}` }) })}
            >
              {second === undefined ? words.compareOneMore : words.compare}
            </Button>
          )}
          {rows.length > 0 && <ManyActions status={status} />}
        </>
      }
    >
      <RunFilters />
      <Tabs
        label={words.states}
        tabs={runTabs.map((name) => ({
          name,
          label: words.tabs[name],
          count: name === 'all' ? undefined : counts?.[name]?.value,
        }))}
        chosen={status}
        onChoose={(name) =>
          navigate({ search: (old) => ({ ...old, status: name === 'all' ? undefined : name }), replace: true })
        }
      >
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.isSuccess && rows.length === 0 && (
          <Empty title={words.emptyTitle} icon={<Activity size={36} aria-hidden />}>
            {words.empty}
          </Empty>
        )}
        {rows.length > 0 && (
          <Table
            rows={rows}
            chosen={chosen}
            // The two chosen last count.
            onChoose={(id) =>
              choose((old) => (old.includes(id) ? old.filter((one) => one !== id) : [...old.slice(-1), id]))
            }
          />
        )}
        <LoadMore of={list} />
      </Tabs>
    </Page>
  );
}

/** The list of runs, or two of them side by side. */
export function RunsPage() {
  const { compare } = route.useSearch();
  const { navigate } = route;
  const [first, second] = compare?.split(',') ?? [];
  if (first === undefined || second === undefined) return <RunsList />;
  return (
    <Page
      title={words.compareTitle}
      actions={
        <Button
          icon={<ArrowLeft size={14} aria-hidden />}
          onClick={() => navigate({ search: (old) => ({ ...old, compare: undefined }) })}
        >
          {words.compareBack}
        </Button>
      }
    >
      <CompareRuns ids={[first, second]} />
    </Page>
  );
}
