import { useQuery } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { pageAt } from '../../router/navigate.ts';
import { useState, type ReactNode } from 'react';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { SelectField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { useProject } from '../../shell/session.ts';
import { bytes, compact, count, duration, share } from '../../text/format.ts';
import { overview as words } from '../../text/overview.ts';
import { Bars } from './bars.tsx';
import { ranges } from './search.ts';

const route = pageAt('/');
type Statistics = Reply<'operators', 'statistics'>;

function Figure({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}) {
  return (
    <div className="rounded-lg border border-line bg-panel px-4 py-3">
      <dt className="text-muted">{name}</dt>
      <dd className="text-2xl font-semibold tracking-tight">{value}</dd>
      {note !== undefined && <dd className="text-xs text-muted">{note}</dd>}
    </div>
  );
}

/** The figures that an operator looks at first. */
function Figures({ statistics }: { readonly statistics: Statistics }) {
  const { documents, runs, queue, storage, models } = statistics;
  return (
    <dl className="grid grid-cols-2 lg:grid-cols-4 gap-3">
      <Figure name={words.documents} value={compact(documents.total)} />
      <Figure name={words.runs} value={compact(runs.total)} />
      <Figure name={words.failureRate} value={runs.failureRate === null ? words.none : share(runs.failureRate)} />
      <Figure
        name={words.duration}
        value={runs.durationMs === null ? words.none : duration(runs.durationMs.p50)}
        note={runs.durationMs !== null && words.p95(duration(runs.durationMs.p95))}
      />
      <Figure
        name={words.queue}
        value={count(queue.queued + queue.running)}
        note={queue.oldestWaitSeconds !== null && words.oldest(duration(queue.oldestWaitSeconds * 1_000))}
      />
      <Figure
        name={words.waiting}
        value={count(queue.waiting)}
        note={
          queue.waiting > 0 && (
            <Link to="/reviews" className="text-accent hover:underline">
              {words.review}
            </Link>
          )
        }
      />
      <Figure name={words.storage} value={bytes(storage.bytes)} note={words.objects(storage.objects)} />
      {models.calls > 0 && (
        <Figure
          name={words.models}
          value={words.calls(models.calls)}
          note={models.costUsd !== null && words.cost(models.costUsd)}
        />
      )}
    </dl>
  );
}

/** The first page: how much came in, how it went, and what waits. */
export function OverviewPage() {
  const { days = 30 } = route.useSearch();
  const { navigate } = route;
  const { id: projectId } = useProject();
  const [now] = useState(() => Date.now());
  const from = new Date(now - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const statistics = useQuery(read('operators', 'statistics', { query: { projectId, from } }));
  return (
    <Page
      title={words.title}
      actions={
        <SelectField
          label={words.range}
          isQuiet
          value={days}
          onChange={({ currentTarget: { value } }) => {
            const chosen = ranges.find((one) => one === Number(value));
            navigate({ search: (old) => ({ ...old, days: chosen }), replace: true });
          }}
        >
          {ranges.map((one) => (
            <option key={one} value={one}>
              {words.days(one)}
            </option>
          ))}
        </SelectField>
      }
    >
      <Loaded query={statistics} lines={8}>
        {(one) => (
          <div className="grid gap-4">
            <Figures statistics={one} />
            {!one.complete && <p className="text-warn">{words.incomplete}</p>}
            <div className="grid gap-4 lg:grid-cols-2">
              <Bars
                title={words.documentsByDay}
                series={[{ name: words.documents, fill: 'fill-accent' }]}
                days={one.documents.byDay.map(({ day, count: value }) => ({ day, values: [value] }))}
              />
              <Bars
                title={words.runsByDay}
                series={[
                  { name: words.succeeded, fill: 'fill-ok' },
                  { name: words.failed, fill: 'fill-bad' },
                  { name: words.other, fill: 'fill-line-strong' },
                ]}
                days={one.runs.byDay.map(({ day, succeeded, failed, other }) => ({
                  day,
                  values: [succeeded, failed, other],
                }))}
              />
            </div>
            {one.workflows.length > 0 && (
              <section>
                <h2 className="mb-2">{words.workflows}</h2>
                <Table heads={[words.workflow, words.runs, words.failed]} numbersFrom={1}>
                  {one.workflows.map(({ workflowId, workflowName, runs, failed }) => (
                    <tr key={workflowId}>
                      <td dir="auto">
                        <Link to="/runs" search={{ workflow: workflowId }} className="hover:underline">
                          {workflowName ?? workflowId}
                        </Link>
                      </td>
                      <td className="number">{count(runs)}</td>
                      <td className={failed > 0 ? 'number text-bad' : 'number'}>{count(failed)}</td>
                    </tr>
                  ))}
                </Table>
              </section>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
