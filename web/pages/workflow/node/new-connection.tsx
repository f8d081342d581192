import { useState } from 'react';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { Button } from '../../../parts/button.tsx';
import { SelectField, TextField } from '../../../parts/field.tsx';
import type { Graph } from '../../../graph-view/graph.ts';
import { workflows as words } from '../../../text/workflows.ts';
import { addRoute } from './edit-connections.ts';
import type { Editor } from '../edit/editor.ts';

const kinds = ['always', 'when', 'each'] as const;
type Kind = (typeof kinds)[number];

interface NewConnectionProps {
  readonly graph: Graph;
  readonly from: string;
  readonly editor: Editor;
}

function operationOf(graph: Graph, from: string, kind: Kind, fields: FormData): Operation {
  const read = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const to = read('to');
  if (kind === 'when') return addRoute(graph, from, { if: read('condition'), to });
  if (kind === 'always') return { op: 'add_edge', edge: { from, to } };
  const map = { over: read('over'), as: read('as'), to, concurrency: 4, onItemError: 'fail' } as const;
  return { op: 'add_edge', edge: { from, map } };
}

/** Form that connects a node with another: the twin of drawing a line in the picture. */
export function NewConnection({ graph, from, editor }: NewConnectionProps) {
  const [kind, setKind] = useState<Kind>('always');
  const allowed = from === 'START' ? kinds.slice(0, 1) : kinds;
  const targets = [...Object.keys(graph.nodes), ...(from === 'START' ? [] : ['END'])];
  const submit = (form: HTMLFormElement): void =>
    void editor.apply(operationOf(graph, from, kind, new FormData(form))).then((done) => {
      if (done) form.reset();
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
      className="grid gap-2 rounded-md border border-dashed border-line-strong/50 p-2"
    >
      <div className="grid grid-cols-2 gap-2">
        <SelectField
          label={words.kind}
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
        >
          {allowed.map((one) => (
            <option key={one} value={one}>
              {words.kinds[one]}
            </option>
          ))}
        </SelectField>
        <SelectField label={words.to} name="to" required>
          {targets.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </SelectField>
      </div>
      {kind === 'when' && (
        <TextField
          label={words.condition}
          hint={words.conditionHint}
          name="condition"
          required
          className="font-mono text-xs"
        />
      )}
      {kind === 'each' && (
        <div className="grid grid-cols-2 gap-2">
          <TextField label={words.over} hint={words.overHint} name="over" required className="font-mono text-xs" />
          <TextField label={words.as} name="as" defaultValue="item" required pattern="[a-z][A-Za-z0-9_]*" />
        </div>
      )}
      <div>
        <Button type="submit" size="small" busy={editor.isSaving} disabled={targets.length === 0}>
          {words.connect}
        </Button>
      </div>
    </form>
  );
}
