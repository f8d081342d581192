import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { read } from '../../api/read.ts';
import { freeId, linksOf, type Graph } from '../../graph-view/graph.ts';
import { TypeIcon } from '../../graph-view/icons.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { shell } from '../../text/shell.ts';
import { workflows as words } from '../../text/workflows.ts';
import type { Editor, Operation } from './edit/editor.ts';
import { blankOf, type Schema } from './form/schema.ts';

interface AddNodeDialogProps {
  readonly graph: Graph;
  /** Node that the new one comes after; START for the first. */
  readonly after: string | undefined;
  readonly editor: Editor;
  readonly onAdded: (id: string) => void;
  readonly onClose: () => void;
}

interface NodeType {
  readonly type: string;
  readonly summary: string;
  readonly writes: readonly string[];
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** Places where a node can go: after another, into one of its ways, or nowhere yet. */
function placesOf(graph: Graph): readonly { readonly value: string; readonly label: string }[] {
  const between = linksOf(graph)
    .filter(({ kind }) => kind === 'always' || kind === 'when' || kind === 'else')
    .map(({ from, to }) => ({ value: `${from} ${to}`, label: words.between(from, to) }));
  const unique = [...new Map(between.map((one) => [one.value, one])).values()];
  const after = Object.keys(graph.nodes).map((id) => ({ value: id, label: `${words.after} ${id}` }));
  return [{ value: '', label: words.nowhere }, { value: 'START', label: words.atStart }, ...unique, ...after];
}

function firstPlace(graph: Graph, after: string | undefined): string {
  if (after === undefined) return Object.keys(graph.nodes).length === 0 ? 'START' : '';
  const ways = linksOf(graph).filter(({ from, kind }) => from === after && kind !== 'error' && kind !== 'each');
  const [only, ...more] = ways;
  return only !== undefined && more.length === 0 ? `${after} ${only.to}` : after;
}

function operationsOf(graph: Graph, place: string, nodeId: string, { type, config }: NodeType): readonly Operation[] {
  const needed = blankOf({ ...(config as Schema), type: 'object' }) as Record<string, unknown>;
  const node = { type, typeVersion: 1, config: needed, onError: 'fail', cache: true, defer: false } as const;
  const [from = '', to] = place.split(' ');
  if (to !== undefined) return [{ op: 'insert_between', from, to, nodeId, node }];
  const add: Operation = { op: 'add_node', nodeId, node };
  if (from === '') return [add];
  const isFirst = Object.keys(graph.nodes).length === 0;
  const out: Operation[] = isFirst ? [{ op: 'add_edge', edge: { from: nodeId, to: 'END' } }] : [];
  return [add, { op: 'add_edge', edge: { from, to: nodeId } }, ...out];
}

/** Chooses the type, the place and the id of a new node. */
export function AddNodeDialog({ graph, after, editor, onAdded, onClose }: AddNodeDialogProps) {
  const types = useQuery({ ...read('workflows', 'nodeTypes', { query: { detail: 'full' } }), staleTime: Infinity });
  const [text, setText] = useState('');
  const [chosen, choose] = useState<NodeType>();
  const [place, setPlace] = useState(() => firstPlace(graph, after));
  const [id, setId] = useState('');
  const group = useId();
  const suggested = chosen === undefined ? '' : freeId(graph, chosen.type, chosen.writes);
  const nodeId = id.trim() === '' ? suggested : id.trim();
  const add = (): void => {
    if (chosen === undefined) return;
    void editor.apply(...operationsOf(graph, place, nodeId, chosen)).then((done) => {
      if (done) onAdded(nodeId);
    });
  };
  return (
    <Dialog
      title={words.addTitle}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button look="primary" disabled={chosen === undefined} busy={editor.isSaving} onClick={add}>
            {words.add}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <TextField
          label={words.findType}
          type="search"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Loaded query={types}>
          {({ nodeTypes }) => (
            <fieldset className="grid max-h-64 gap-1 overflow-y-auto sm:grid-cols-2">
              <legend className="sr-only">{words.addTitle}</legend>
              {nodeTypes
                .filter(({ type, summary }) => `${type} ${summary}`.toLowerCase().includes(text.trim().toLowerCase()))
                .map((one) => {
                  return (
                    <label
                      key={one.type}
                      className="flex items-start gap-2 rounded-md border border-line p-2 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
                    >
                      <input
                        type="radio"
                        name={group}
                        checked={chosen?.type === one.type}
                        onChange={() => choose(one)}
                        className="sr-only"
                      />
                      <TypeIcon type={one.type} size={16} className="mt-0.5" />
                      <span className="min-w-0">
                        <span className="block font-medium">{one.type}</span>
                        <span className="block text-xs text-muted">{one.summary}</span>
                      </span>
                    </label>
                  );
                })}
            </fieldset>
          )}
        </Loaded>
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label={words.place}
            value={place}
            onChange={({ currentTarget }) => setPlace(currentTarget.value)}
          >
            {placesOf(graph).map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label={words.nodeId}
            hint={words.nodeIdHint}
            placeholder={suggested}
            value={id}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
          />
        </div>
      </div>
    </Dialog>
  );
}
