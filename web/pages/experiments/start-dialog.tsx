import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { navigate } from '../../router/navigate.ts';
import { useRef } from 'react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Failure, Loaded } from '../../parts/states.tsx';
import { experiments as words } from '../../text/experiments.ts';
import { shell } from '../../text/shell.ts';

type Workflows = Reply<'workflows', 'list'>['workflows'];
type Plan = NonNullable<Reply<'experiments', 'run'>['plan']>;

/** Versions of workflows that can be measured, as `workflowId version`. */
function choicesOf(workflows: Workflows): readonly { readonly value: string; readonly label: string }[] {
  return workflows.flatMap(({ workflowId, name, publishedVersion, draft }) => [
    ...(publishedVersion === null
      ? []
      : [{ value: `${workflowId} published`, label: `${name}: ${words.versions.published}` }]),
    ...(draft === null ? [] : [{ value: `${workflowId} draft`, label: `${name}: ${words.versions.draft}` }]),
  ]);
}

function bodyOf(fields: FormData) {
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const variant = (name: string) => {
    const [workflowId = '', version = 'published'] = text(name).split(' ');
    return { workflowId, version: version === 'draft' ? ('draft' as const) : ('published' as const) };
  };
  return {
    ...(text('name') !== '' && { name: text('name') }),
    datasetId: text('dataset'),
    split: text('split') === 'holdout' ? ('holdout' as const) : ('dev' as const),
    trials: Number(text('trials')),
    variants: [variant('baseline'), variant('variant')],
  };
}

function PlanWords({ plan }: { readonly plan: Plan }) {
  const { runs, items, estimatedSeconds, detectable } = plan;
  return (
    <p role="status" className="rounded-md bg-info-soft px-3 py-2 text-info">
      {words.planWords(runs, items)} {estimatedSeconds !== null && words.planSeconds(estimatedSeconds)}{' '}
      {words.planDetectable(detectable.toFixed(3))}
    </p>
  );
}

function Fields({
  datasets,
  workflows,
}: {
  readonly datasets: Reply<'experiments', 'datasets'>['datasets'];
  readonly workflows: Workflows;
}) {
  const choices = choicesOf(workflows);
  const options = choices.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
  return (
    <>
      <TextField label={words.name} name="name" maxLength={200} />
      <SelectField label={words.dataset} name="dataset" required>
        {datasets.map(({ datasetId, name, counts }) => (
          <option key={datasetId} value={datasetId}>
            {name} ({words.counts(counts.dev, counts.holdout)})
          </option>
        ))}
      </SelectField>
      <SelectField label={words.baselineField} name="baseline" required>
        {options}
      </SelectField>
      <SelectField label={words.against} name="variant" required defaultValue={choices[1]?.value}>
        {options}
      </SelectField>
      <div className="grid grid-cols-2 gap-3">
        <SelectField label={words.split} name="split">
          <option value="dev">{words.splits.dev}</option>
          <option value="holdout">{words.splits.holdout}</option>
        </SelectField>
        <SelectField label={words.trials} name="trials">
          {[1, 2, 3, 4, 5].map((count) => (
            <option key={count}>{count}</option>
          ))}
        </SelectField>
      </div>
    </>
  );
}

/** Measures two versions of workflows on a dataset. The plan tells first what it takes. */
export function StartDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const datasets = useQuery(read('experiments', 'datasets', { query: { limit: 100 } }));
  const workflows = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const body = () => bodyOf(new FormData(form.current ?? undefined));
  const plan = useMutation({ mutationFn: () => call('experiments', 'run', { body: { ...body(), dryRun: true } }) });
  const start = useMutation({
    mutationFn: () => call('experiments', 'run', { body: body() }),
    onSuccess: async ({ experiment }) => {
      void client.invalidateQueries({ queryKey: ['experiments'] });
      if (experiment !== null) navigate({ to: '/experiments/$id', params: { id: experiment.experimentId } });
    },
  });
  const error = start.error ?? plan.error;
  const has = (datasets.data?.datasets.length ?? 0) > 0;
  return (
    <Dialog
      title={words.new}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button busy={plan.isPending} disabled={!has} onClick={() => plan.mutate()}>
            {words.plan}
          </Button>
          <Button look="primary" busy={start.isPending} disabled={!has} onClick={() => start.mutate()}>
            {words.start}
          </Button>
        </>
      }
    >
      <Loaded query={datasets}>
        {({ datasets: found }) =>
          found.length === 0 ? (
            <p>{words.noDatasets}</p>
          ) : (
            <Loaded query={workflows}>
              {({ workflows: all }) => (
                <form ref={form} className="grid gap-3" onChange={() => plan.reset()}>
                  <Fields datasets={found} workflows={all} />
                  {error !== null && <Failure error={error} />}
                  {plan.data?.plan !== null && plan.data?.plan !== undefined && <PlanWords plan={plan.data.plan} />}
                </form>
              )}
            </Loaded>
          )
        }
      </Loaded>
    </Dialog>
  );
}
