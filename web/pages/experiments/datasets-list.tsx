import { useInfiniteQuery } from '@tanstack/react-query';
import { Database } from 'lucide-react';
import type { ReactNode } from 'react';
import { pages } from '../../api/read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { LoadMore } from '../../parts/table.tsx';
import { experiments as words } from '../../text/experiments.ts';

const kinds = ['text', 'fields', 'label', 'regions'] as const;

/** Datasets with what they have: documents of each split, references, and looks at the holdout. */
export function DatasetsList({ action }: { readonly action: ReactNode }) {
  const list = useInfiniteQuery(pages('experiments', 'datasets', { query: { limit: 25 } }));
  const datasets = list.data?.pages.flatMap((page) => page.datasets) ?? [];
  if (list.isPending) return <Skeleton lines={5} />;
  if (list.isSuccess && datasets.length === 0)
    return (
      <Empty title={words.datasetsEmptyTitle} icon={<Database size={36} aria-hidden />} actions={action}>
        {words.datasetsEmpty}
      </Empty>
    );
  return (
    <>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col">{words.documents}</th>
              <th scope="col" className="max-md:hidden">
                {words.references}
              </th>
              <th scope="col" className="max-md:hidden">
                {words.confirmations}
              </th>
              <th scope="col" className="max-md:hidden">
                {words.changed}
              </th>
            </tr>
          </thead>
          <tbody>
            {datasets.map(({ datasetId, name, description, version, counts, references, ledger, updatedAt }) => (
              <tr key={datasetId}>
                <td>
                  <span className="font-medium" dir="auto">
                    {name}
                  </span>{' '}
                  <Badge>
                    {words.version} {version}
                  </Badge>
                  <p className="text-muted" dir="auto">
                    {description}
                  </p>
                </td>
                <td>{words.counts(counts.dev, counts.holdout)}</td>
                <td className="max-md:hidden">
                  {kinds
                    .filter((kind) => references[kind] > 0)
                    .map((kind) => `${references[kind]} ${words.referenceKinds[kind]}`)
                    .join(', ')}
                </td>
                <td className="max-md:hidden">{ledger.confirmations}</td>
                <td className="text-muted max-md:hidden">
                  <Time at={updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <LoadMore of={list} />
    </>
  );
}
