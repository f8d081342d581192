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
const toolName = /^[\w-]{1,64}$/;
const labels = { maxSteps: words.maxSteps, timeoutMs: words.runTimeout, maxConcurrency: words.maxConcurrency };

/** The workflow as an MCP tool: without a name it is none. Fields of its input are edited as JSON, by agents and over the API. */
function ToolFields({ graph: { tool }, editor }: SettingsPanelProps) {
  const save = (change: { readonly name?: string; readonly description?: string }): undefined => {
    const { name, description } = { name: '', description: '', ...tool, ...change };
    const { input = { type: 'object', properties: {} } } = tool ?? {};
    const next = { name, description: description === '' ? name : description, input };
    void editor?.apply(name === '' ? { op: 'set_tool' } : { op: 'set_tool', tool: next });
    return undefined;
  };
  return (
    <>
      <h2 className="pt-2 text-sm">{words.tool}</h2>
      <Committed
        label={words.toolName}
        hint={words.toolHint}
        isCode
        stored={tool?.name ?? ''}
        onCommit={(text) => {
          const name = text.trim();
          return name === '' || toolName.test(name) ? save({ name }) : words.toolNameForm;
        }}
      />
      {tool !== undefined && (
        <Committed
          label={words.toolDescription}
          isLong
          stored={tool.description}
          onCommit={(text) => (text.trim() === '' ? words.required : save({ description: text.trim() }))}
        />
      )}
    </>
  );
}

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
      <ToolFields graph={graph} editor={editor} />
      {graph.layout !== undefined && editor !== null && (
        <div className="pt-2">
          <Button onClick={() => void editor.apply({ op: 'set_metadata', layout: null })}>{words.tidy}</Button>
        </div>
      )}
    </fieldset>
  );
}
