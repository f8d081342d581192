import type { Graph, Step } from '../../../graph-view/graph.ts';
import { CheckField, SelectField } from '../../../parts/field.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import type { Editor } from '../edit/editor.ts';
import { readNumber } from '../form/schema.ts';
import { Committed } from '../form/text-fields.tsx';

interface ExecutionFieldsProps {
  readonly graph: Graph;
  readonly id: string;
  readonly step: Step;
  readonly editor: Editor | null;
}

/** Retries, time limit, what an error means, and notes. */
export function ExecutionFields({ graph, id, step, editor }: ExecutionFieldsProps) {
  const set = (field: string, value: unknown): void =>
    void editor?.apply({ op: 'set_field', path: `/nodes/${id}/${field}`, ...(value !== undefined && { value }) });
  const number = (field: string, most: number) => (text: string) => {
    const result = readNumber(text, { type: 'integer', minimum: 1, maximum: most });
    if ('error' in result) return result.error;
    set(field, result.value);
    return undefined;
  };
  const attempts = (text: string) => {
    const result = readNumber(text, { type: 'integer', minimum: 1, maximum: 10 });
    if ('error' in result) return result.error;
    set('retry', result.value === undefined ? undefined : { ...step.retry, maxAttempts: result.value });
    return undefined;
  };
  const { onError } = step;
  const others = Object.keys(graph.nodes).filter((other) => other !== id);
  const way = typeof onError === 'object' ? 'goto' : (onError ?? 'fail');
  return (
    <details className="rounded-md border border-line px-3 py-2">
      <summary className="font-medium">{words.execution}</summary>
      <div className="grid gap-3 pt-3">
        <div className="grid grid-cols-2 gap-2">
          <Committed
            label={words.retryAttempts}
            hint={words.retryHint}
            stored={String(step.retry?.maxAttempts ?? '')}
            onCommit={attempts}
          />
          <Committed
            label={words.timeout}
            hint={words.timeoutHint}
            stored={String(step.timeoutMs ?? '')}
            onCommit={number('timeoutMs', 3_600_000)}
          />
        </div>
        <SelectField
          label={words.onError}
          value={way}
          onChange={({ currentTarget: { value } }) =>
            set('onError', value === 'goto' ? { goto: others[0] ?? id, set: {} } : value)
          }
        >
          {(['fail', 'continue', 'goto'] as const).map((one) => (
            <option key={one} value={one} disabled={one === 'goto' && others.length === 0}>
              {words.onErrors[one]}
            </option>
          ))}
        </SelectField>
        {typeof onError === 'object' && (
          <SelectField
            label={words.gotoNode}
            value={onError.goto}
            onChange={({ currentTarget: { value } }) => set('onError', { ...onError, goto: value })}
          >
            {others.map((other) => (
              <option key={other}>{other}</option>
            ))}
          </SelectField>
        )}
        <CheckField
          label={words.cache}
          checked={step.cache ?? true}
          onChange={({ currentTarget }) => set('cache', currentTarget.checked)}
        />
        <CheckField
          label={words.defer}
          checked={step.defer ?? false}
          onChange={({ currentTarget }) => set('defer', currentTarget.checked)}
        />
        <Committed
          label={words.notes}
          isLong
          stored={step.notes ?? ''}
          onCommit={(text): undefined => set('notes', text === '' ? undefined : text) as undefined}
        />
      </div>
    </details>
  );
}
