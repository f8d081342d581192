import { Link } from '../../router/link.tsx';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read } from '../../api/read.ts';
import type { Reply } from '../../api/families.ts';
import { Badge } from '../../parts/badge.tsx';
import { experiments as words } from '../../text/experiments.ts';
import { count } from '../../text/format.ts';

type Experiment = Reply<'experiments', 'get'>;

const isStop = (reason: string): reason is keyof typeof words.stops => Object.hasOwn(words.stops, reason);

/** Variants with their means on dev, in each metric's own unit. */
export function Variants({ experiment }: { readonly experiment: Experiment }) {
  const { variants, split } = experiment;
  // Means of the holdout are not told: one learns the verdict alone.
  const metrics = split === 'holdout' ? [] : experiment.metrics;
  return (
    <section className="grid min-w-0 content-start gap-2" aria-label={words.variants}>
      <h2>{words.variants}</h2>
      <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
        <table className="table named min-w-[34rem]">
          <thead>
            <tr>
              <th scope="col">{words.variant}</th>
              <th scope="col">{words.workflow}</th>
              {metrics.map((metric) => (
                <th key={metric} scope="col" className="number" dir="auto">
                  {metric}
                </th>
              ))}
              <th scope="col" className="number">
                {words.runs}
              </th>
              <th scope="col" className="number">
                {words.failed}
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.map((variant, at) => (
              <tr key={variant.name}>
                <th scope="row">
                  <span dir="auto">{variant.name}</span>{' '}
                  {at === 0 && variant.name !== words.baseline && <Badge>{words.baseline}</Badge>}
                </th>
                <td>
                  <Link
                    to="/workflows/$id"
                    params={{ id: variant.workflowId }}
                    search={variant.version === null ? {} : { version: variant.version }}
                    className="text-accent hover:underline"
                  >
                    {variant.version === null ? words.draftOrChanged : `${words.version} ${variant.version}`}
                  </Link>
                </td>
                {metrics.map((metric) => (
                  <td key={metric} className="number">
                    {variant.metrics[metric]?.mean?.toPrecision(4) ?? (
                      <span className="text-muted italic">{words.missing}</span>
                    )}
                  </td>
                ))}
                <td className="number">{count(variant.runs)}</td>
                <td className={`number ${variant.failed > 0 ? 'text-bad' : ''}`}>{count(variant.failed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-b border-line py-1.5 last:border-0">
      <dt className="text-muted">{label}</dt>
      <dd className="text-end">{children}</dd>
    </div>
  );
}

/** Cost of each look at the holdout, and the rest for the next. */
export function Ledger({ experiment }: { readonly experiment: Experiment }) {
  const { datasetId, datasetVersion, alpha, nextAlpha, runs, stopped, costUsd, confirmation } = experiment;
  const dataset = useQuery(read('experiments', 'dataset', { params: { datasetId }, query: { limit: 0 } }));
  const { ledger, name } = dataset.data ?? {};
  return (
    <section aria-label={words.ledger} className="grid content-start gap-2">
      <h2>{words.ledger}</h2>
      <p className="text-muted">{words.ledgerLead}</p>
      <dl className="rounded-lg border border-line bg-panel px-3 py-1">
        <Fact label={words.dataset}>
          <span dir="auto">{name ?? datasetId}</span>, {words.version} {datasetVersion}
        </Fact>
        <Fact label={words.alpha}>{alpha.toPrecision(3)}</Fact>
        <Fact label={words.nextAlpha}>{nextAlpha.toPrecision(3)}</Fact>
        {ledger !== undefined && <Fact label={words.alphaAll}>{ledger.alpha.toPrecision(3)}</Fact>}
        {ledger !== undefined && <Fact label={words.confirmations}>{ledger.confirmations}</Fact>}
        <Fact label={words.runs}>
          {count(runs.done)} / {count(runs.planned)} ({words.cached(runs.cached)})
        </Fact>
        {costUsd !== null && <Fact label={words.cost}>{costUsd.toFixed(4)} USD</Fact>}
        {stopped !== null && (
          <Fact label={words.stopped}>
            {isStop(stopped) ? words.stops[stopped] : <span dir="auto">{stopped}</span>}
          </Fact>
        )}
        {confirmation !== null && (
          <Fact label={words.confirmation}>
            <Link to="/experiments/$id" params={{ id: confirmation }} className="text-accent hover:underline">
              {confirmation}
            </Link>
          </Fact>
        )}
      </dl>
    </section>
  );
}
