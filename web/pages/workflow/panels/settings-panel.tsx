import type { Graph } from '../../../graph-view/graph.ts';
import { Button } from '../../../parts/button.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import type { Editor } from '../edit/editor.ts';
import { readNumber } from '../form/schema.ts';
import { Committed } from '../form/text-fields.tsx';

interface SettingsPanelProps {
  readonly graph: Graph;
  readonly editor: Editor | null;
}

const bounds = { maxSteps: [1, 10_000], timeoutMs: [1_000, 86_400_000], maxConcurrency: [1, 64] } as const;
const labels = { maxSteps: words.maxSteps, timeoutMs: words.runTimeout, maxConcurrency: words.maxConcurrency };

/** Name, description and limits of the workflow. */
export function SettingsPanel({ graph, editor }: SettingsPanelProps) {
  const limit = (name: keyof typeof bounds) => (text: string) => {
    const [minimum, maximum] = bounds[name];
    const result = readNumber(text, { type: 'integer', minimum, maximum });
    if ('error' in result) return result.error;
    if (typeof result.value !== 'number') return words.required;
    void editor?.apply({ op: 'set_limits', limits: { [name]: result.value } });
    return undefined;
  };
  return (
    <fieldset disabled={editor === null} className="grid min-w-0 gap-3">
      <Committed
        label={words.name}
        stored={graph.name}
        onCommit={(text) => {
          if (text.trim() === '') return words.required;
          void editor?.apply({ op: 'set_metadata', name: text.trim() });
          return undefined;
        }}
      />
      <Committed
        label={words.description}
        isLong
        stored={graph.description}
        onCommit={(description) => {
          void editor?.apply({ op: 'set_metadata', description });
          return undefined;
        }}
      />
      <h2 className="pt-2 text-sm">{words.limits}</h2>
      {(['maxSteps', 'timeoutMs', 'maxConcurrency'] as const).map((name) => (
        <Committed key={name} label={labels[name]} stored={String(graph.limits[name])} onCommit={limit(name)} />
      ))}
      {graph.layout !== undefined && editor !== null && (
        <div className="pt-2">
          <Button onClick={() => void editor.apply({ op: 'set_metadata', layout: null })}>{words.tidy}</Button>
        </div>
      )}
    </fieldset>
  );
}
