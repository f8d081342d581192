import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { workflows as words } from '../../text/workflows.ts';

type Gate = NonNullable<Reply<'workflows', 'get'>['gate']>;

/** Metrics that need no settings; a gate whose metric has some keeps it. */
const metrics = ['field_match', 'exact', 'label_accuracy', 'cer', 'wer', 'levenshtein', 'iou'] as const;

interface GateFieldsProps {
  /** The gate as chosen; null: none. */
  readonly gate: Gate | null;
  readonly onChange: (gate: Gate | null) => void;
}

/** Losses that a new gate accepts. */
const usual = { maxRegression: 0.02, maxHarmRate: 0.1, harmSize: 0.2 } as const;

/** Chooses the proof that later versions need: dataset, metric, and the losses that are accepted. */
export function GateFields({ gate, onChange }: GateFieldsProps) {
  const datasets = useQuery(read('experiments', 'datasets', { query: { limit: 100 } }));
  const shown = gate !== null && !metrics.some((name) => name === gate.metric) ? [gate.metric, ...metrics] : metrics;
  const chooseDataset = (datasetId: string): void => {
    if (datasetId === '') return onChange(null);
    // The version stays with its dataset.
    const first: Gate = { datasetId, metric: metrics[0], ...usual };
    const { datasetVersion: _, ...rest } = gate ?? first;
    onChange({ ...rest, datasetId });
  };
  const chooseMetric = (metric: string): void => {
    if (gate === null) return;
    const { evaluator: _, ...rest } = gate;
    onChange({ ...rest, metric });
  };
  const number = (name: 'maxRegression' | 'maxHarmRate', label: string, min: number, max: number) =>
    gate !== null && (
      <TextField
        label={label}
        type="number"
        step="any"
        min={min}
        max={max}
        required
        value={Number.isNaN(gate[name]) ? '' : gate[name]}
        onChange={({ currentTarget }) => onChange({ ...gate, [name]: currentTarget.valueAsNumber })}
      />
    );
  return (
    <Loaded query={datasets} lines={2}>
      {({ datasets: found }) =>
        found.length === 0 && gate === null ? (
          <p className="text-muted">{words.gateDatasetNone}</p>
        ) : (
          <div className="grid gap-3">
            <SelectField
              label={words.gateDataset}
              value={gate?.datasetId ?? ''}
              onChange={({ currentTarget }) => chooseDataset(currentTarget.value)}
            >
              <option value="">{words.gateNone}</option>
              {gate !== null && !found.some(({ datasetId }) => datasetId === gate.datasetId) && (
                <option value={gate.datasetId}>{gate.datasetId}</option>
              )}
              {found.map(({ datasetId, name }) => (
                <option key={datasetId} value={datasetId}>
                  {name}
                </option>
              ))}
            </SelectField>
            {gate !== null && (
              <div className="grid gap-3 sm:grid-cols-3">
                <SelectField
                  label={words.gateMetric}
                  value={gate.metric}
                  onChange={({ currentTarget }) => chooseMetric(currentTarget.value)}
                >
                  {shown.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </SelectField>
                {number('maxRegression', words.gateMaxRegression, 0.001, 0.9)}
                {number('maxHarmRate', words.gateMaxHarm, 0, 1)}
              </div>
            )}
          </div>
        )
      }
    </Loaded>
  );
}
