import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { pageAt } from '../../router/navigate.ts';
import { FlaskConical, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { pages } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { LoadMore } from '../../parts/table.tsx';
import { useCan } from '../../shell/session.ts';
import { experiments as words } from '../../text/experiments.ts';
import { DatasetDialog } from './dataset-dialog.tsx';
import { DatasetsList } from './datasets-list.tsx';
import { lists } from './search.ts';
import { StartDialog } from './start-dialog.tsx';
import { StatusBadge, VerdictBadge, type Experiment } from './verdict-badge.tsx';

const route = pageAt('/experiments');

/** One experiment: its verdict is what one reads first. */
function Row({ experiment }: { readonly experiment: Experiment }) {
  const { experimentId, name, sentence, verdict, status, items, split, createdAt } = experiment;
  return (
    <li className="relative grid gap-1 border-b border-line px-4 py-3 last:border-0 hover:bg-hover">
      <div className="flex flex-wrap items-center gap-2">
        <Link
          to="/experiments/$id"
          params={{ id: experimentId }}
          className="font-medium after:absolute after:inset-0"
          dir="auto"
        >
          {name}
        </Link>
        {verdict === null ? <StatusBadge status={status} /> : <VerdictBadge verdict={verdict} />}
        <span className="ms-auto text-xs text-muted">
          <Time at={createdAt} />
        </span>
      </div>
      <p dir="auto">{status === 'running' ? words.progress(items.done, items.total) : sentence}</p>
      <p className="text-xs text-muted">
        {words.split} {words.splits[split]} · {words.kinds[experiment.kind]}
      </p>
    </li>
  );
}

function ExperimentsList({ action }: { readonly action: ReactNode }) {
  const list = useInfiniteQuery(pages('experiments', 'list', { query: { limit: 25 } }));
  const experiments = list.data?.pages.flatMap((page) => page.experiments) ?? [];
  if (list.isPending) return <Skeleton lines={6} />;
  return (
    <>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && experiments.length === 0 && (
        <Empty title={words.emptyTitle} icon={<FlaskConical size={36} aria-hidden />} actions={action}>
          {words.empty}
        </Empty>
      )}
      {experiments.length > 0 && (
        <ul className="overflow-hidden rounded-lg border border-line bg-panel">
          {experiments.map((one) => (
            <Row key={one.experimentId} experiment={one} />
          ))}
        </ul>
      )}
      <LoadMore of={list} />
    </>
  );
}

/** Experiments with their verdicts, and the datasets that they measure on. */
export function ExperimentsPage() {
  const { tab = 'experiments' } = route.useSearch();
  const { navigate } = route;
  const canStart = useCan('runs:execute');
  const canSave = useCan('runs:execute');
  const [isOpen, open] = useState(false);
  const [isSaving, save] = useState(false);
  const action = canStart && (
    <Button look="primary" icon={<Plus size={15} aria-hidden />} onClick={() => open(true)}>
      {words.new}
    </Button>
  );
  const saving = canSave && (
    <Button look="primary" icon={<Plus size={15} aria-hidden />} onClick={() => save(true)}>
      {words.newDataset}
    </Button>
  );
  return (
    <Page title={words.title} actions={tab === 'datasets' ? saving : action}>
      <Tabs
        label={words.tabsLabel}
        tabs={lists.map((name) => ({ name, label: words.tabs[name] }))}
        chosen={tab}
        onChoose={(name) =>
          navigate({
            search: (old) => ({ ...old, tab: name === 'experiments' ? undefined : name }),
            replace: true,
          })
        }
      >
        {tab === 'experiments' ? <ExperimentsList action={action} /> : <DatasetsList action={saving} />}
      </Tabs>
      {isSaving && <DatasetDialog onClose={() => save(false)} />}
      {isOpen && <StartDialog onClose={() => open(false)} />}
    </Page>
  );
}
