import { useState } from 'react';
import type { Graph } from '../../../graph-view/graph.ts';
import { X } from 'lucide-react';
import { IconButton } from '../../../parts/button.tsx';
import { SelectField } from '../../../parts/field.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import type { Editor } from '../edit/editor.ts';
import { readJson } from '../form/schema.ts';
import { Committed, NewName } from '../form/text-fields.tsx';

const reducers = ['replace', 'append', 'merge', 'sum', 'max', 'unionById'] as const;
type Channel = Graph['state'][string];

interface ChannelsPanelProps {
  readonly graph: Graph;
  readonly editor: Editor | null;
}

function ChannelFields({
  name,
  channel,
  editor,
}: {
  readonly name: string;
  readonly channel: Channel;
  readonly editor: Editor | null;
}) {
  const save = (change: Partial<Channel>): void =>
    void editor?.apply({ op: 'set_state_field', name, channel: { ...channel, ...change } });
  const json = (field: 'schema' | 'default') => (text: string) => {
    const result = readJson(text);
    if ('error' in result) return result.error;
    save({ [field]: result.value });
    return undefined;
  };
  return (
    <div className="grid gap-2 pt-2">
      <SelectField
        label={words.reducer}
        value={channel.reducer ?? 'replace'}
        onChange={({ currentTarget }) => save({ reducer: currentTarget.value as Channel['reducer'] })}
      >
        {reducers.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
      <Committed
        label={words.schema}
        isLong
        isCode
        stored={JSON.stringify(channel.schema ?? {}, null, 2)}
        onCommit={json('schema')}
      />
      <Committed
        label={words.initial}
        isCode
        stored={channel.default === undefined ? '' : JSON.stringify(channel.default)}
        onCommit={json('default')}
      />
    </div>
  );
}

/** Channels of the state, and which of them a run gives back. */
export function ChannelsPanel({ graph, editor }: ChannelsPanelProps) {
  const names = Object.keys(graph.state);
  const [added, setAdded] = useState<string>();
  const outputOf = (name: string): string | undefined =>
    Object.entries(graph.outputs).find(([, channel]) => channel === name)?.[0];
  const setOutput = (name: string, isOutput: boolean): void => {
    const output = outputOf(name) ?? name;
    void editor?.apply({ op: 'set_field', path: `/outputs/${output}`, ...(isOutput && { value: name }) });
  };
  return (
    <fieldset disabled={editor === null} className="grid min-w-0 gap-3">
      <h2 className="text-sm">{words.channels}</h2>
      <p className="text-muted">
        {words.channelsLead} {words.outputsHint}
      </p>
      {names.length === 0 && <p className="text-muted">{words.channelsNone}</p>}
      <ul className="grid gap-2">
        {names.map((name) => {
          const channel = graph.state[name];
          return (
            <li key={name} className="flex items-start gap-2 rounded-lg border border-line px-3 py-2">
              <input
                type="checkbox"
                aria-label={words.isOutput(name)}
                title={words.isOutput(name)}
                checked={outputOf(name) !== undefined}
                onChange={({ currentTarget }) => setOutput(name, currentTarget.checked)}
                className="mt-0.5 size-4 shrink-0 accent-accent"
              />
              <details className="min-w-0 flex-1" open={name === added}>
                <summary>
                  <code className="font-medium">{name}</code>
                </summary>
                {channel !== undefined && <ChannelFields {...{ name, channel, editor }} />}
              </details>
              <IconButton
                size="small"
                label={words.removeItem(name)}
                onClick={() => void editor?.apply({ op: 'remove_state_field', name })}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          );
        })}
      </ul>
      {editor !== null && (
        <NewName
          label={words.addChannel}
          taken={names}
          onAdd={(name) => {
            setAdded(name);
            void editor.apply({ op: 'set_state_field', name, channel: { schema: {}, reducer: 'replace' } });
          }}
        />
      )}
    </fieldset>
  );
}
