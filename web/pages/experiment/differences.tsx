import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { read } from '../../api/read.ts';
import type { Reply } from '../../api/families.ts';
import { Button } from '../../parts/button.tsx';
import { CheckField, SelectField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { experiments as words } from '../../text/experiments.ts';
import { OutputsDialog, type Pair } from './outputs-dialog.tsx';

const route = pageAt('/experiments/$id');
const pageSize = 25;

type Experiment = Reply<'experiments', 'get'>;

const shown = (value: number | null | undefined): string => value?.toFixed(3) ?? words.missing;

/** A bar to the left for a loss, to the right for a gain. */
function Bar({ difference, most }: { readonly difference: number; readonly most: number }) {
  const share = Math.min(1, Math.abs(difference) / most) * 50;
  return (
    <span aria-hidden className="relative mt-1.5 block h-2 w-32 rounded-full bg-hover">
      <span
        className={`absolute inset-y-0 rounded-full ${difference < 0 ? 'bg-bad' : 'bg-ok'}`}
        style={{ width: `${share}%`, left: difference < 0 ? `${50 - share}%` : '50%' }}
      />
      <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
    </span>
  );
}

function Rows({ pairs, onOpen }: { readonly pairs: readonly Pair[]; readonly onOpen: (id: string) => void }) {
  const most = Math.max(0.001, ...pairs.map(({ difference }) => Math.abs(difference ?? 0)));
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="table named min-w-[24rem]">
        <thead>
          <tr>
            <th scope="col">{words.document}</th>
            <th scope="col" className="number">
              {words.difference}
            </th>
            <th scope="col" className="max-sm:hidden">
              <span className="sr-only">{words.bar}</span>
            </th>
            <th scope="col" className="number">
              {words.baseline}
            </th>
            <th scope="col" className="number">
              {words.variant}
            </th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ documentId, title, difference, baseline, variant }) => (
            <tr key={documentId}>
              <td>
                <button
                  type="button"
                  aria-label={words.compareOutputs(title ?? documentId)}
                  title={documentId}
                  dir="auto"
                  className={`text-start text-accent hover:underline ${title === null ? 'font-mono text-xs break-all' : ''}`}
                  onClick={() => onOpen(documentId)}
                >
                  {title ?? documentId}
                </button>
              </td>
              <td className={`number ${difference === null ? 'text-muted' : difference < 0 ? 'text-bad' : ''}`}>
                {shown(difference)}
              </td>
              <td className="max-sm:hidden">{difference !== null && <Bar difference={difference} most={most} />}</td>
              <td className={`number ${typeof baseline?.value !== 'number' ? 'text-muted italic' : ''}`}>
                {shown(baseline?.value)}
              </td>
              <td className={`number ${typeof variant?.value !== 'number' ? 'text-muted italic' : ''}`}>
                {shown(variant?.value)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Documents by difference, the worst first: what a mean hides. */
export function Differences({ experiment }: { readonly experiment: Experiment }) {
  const { experimentId, variants, metrics, primary, best } = experiment;
  const search = route.useSearch();
  const { navigate } = route;
  const others = variants.slice(1).map(({ name }) => name);
  const { variant = best ?? others[0] ?? '', metric = primary, only, offset = 0, document } = search;
  const isWorse = only === 'worse';
  const view = isWorse ? ('regressions' as const) : ('items' as const);
  const found = useQuery({
    ...read('experiments', 'get', {
      params: { experimentId },
      query: { view, variant, metric, limit: pageSize, offset },
    }),
    placeholderData: keepPreviousData,
  });
  const go = (change: Partial<typeof search>) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true, resetScroll: false });
  return (
    <section className="grid gap-3" aria-label={words.differences}>
      <div className="flex flex-wrap items-end gap-3">
        <h2 className="me-auto">{words.differences}</h2>
        {others.length > 1 && (
          <SelectField
            label={words.variant}
            value={variant}
            onChange={({ currentTarget: { value } }) => go({ variant: value, offset: undefined })}
          >
            {others.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        )}
        {metrics.length > 1 && (
          <SelectField
            label={words.metric}
            value={metric}
            onChange={({ currentTarget: { value } }) => go({ metric: value, offset: undefined })}
          >
            {metrics.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        )}
        <CheckField
          label={words.onlyWorse}
          checked={isWorse}
          onChange={({ currentTarget }) => go({ only: currentTarget.checked ? 'worse' : undefined, offset: undefined })}
        />
      </div>
      <Loaded query={found}>
        {({ documents = [], nextOffset }) => {
          const pair = documents.find(({ documentId }) => documentId === document);
          return (
            <>
              {documents.length === 0 ? (
                <p className="text-muted">{isWorse ? words.worseNone : words.differencesNone}</p>
              ) : (
                <Rows pairs={documents} onOpen={(id) => go({ document: id })} />
              )}
              {(offset > 0 || typeof nextOffset === 'number') && (
                <div className="flex items-center justify-end gap-2 text-muted">
                  <span>{words.range(offset + 1, offset + documents.length)}</span>
                  <Button
                    size="small"
                    disabled={offset === 0}
                    onClick={() => go({ offset: Math.max(0, offset - pageSize) || undefined })}
                  >
                    {words.previous}
                  </Button>
                  <Button
                    size="small"
                    disabled={typeof nextOffset !== 'number'}
                    onClick={() => go({ offset: nextOffset ?? undefined })}
                  >
                    {words.next}
                  </Button>
                </div>
              )}
              {pair !== undefined && (
                <OutputsDialog
                  pair={pair}
                  variant={variant}
                  baseline={variants[0]?.name ?? words.baseline}
                  onClose={() => go({ document: undefined })}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
