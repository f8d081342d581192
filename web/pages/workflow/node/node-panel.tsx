import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2, Variable } from 'lucide-react';
import { read } from '../../../api/read.ts';
import { TypeIcon } from '../../../graph-view/icons.ts';
import type { Graph, Step } from '../../../graph-view/graph.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Badge } from '../../../parts/badge.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import { Connections } from './connections.tsx';
import type { Editor } from '../edit/editor.ts';
import { ExecutionFields } from './execution-fields.tsx';
import { isMembers, kindOf, type Schema } from '../form/schema.ts';
import { SchemaField } from '../form/schema-field.tsx';
import { Committed } from '../form/text-fields.tsx';
import type { Issue } from '../edit/problems.ts';

interface NodePanelProps {
  readonly graph: Graph;
  readonly id: string;
  readonly issues: readonly Issue[];
  /** null: the node is only looked at. */
  readonly editor: Editor | null;
  readonly onRename: (to: string) => void;
  readonly onAdd: () => void;
}

/** One field of the configuration, which may be fixed or computed. */
function ConfigField({
  name,
  schema,
  step,
  error,
  needed,
  save,
}: {
  readonly name: string;
  readonly schema: Schema;
  readonly step: Step;
  readonly error: string | undefined;
  readonly needed: boolean;
  readonly save: (value: unknown) => void;
}) {
  const value = step.config[name];
  const isComputed = kindOf(schema, value) === 'expression';
  const isFixed = isMembers(value) && '$secret' in value;
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">
        <SchemaField label={name} schema={schema} value={value} isNeeded={needed} error={error} onCommit={save} />
      </div>
      {!isFixed && (
        <IconButton
          size="small"
          look={isComputed ? 'usual' : 'plain'}
          aria-pressed={isComputed}
          label={isComputed ? words.fixed : words.computed}
          onClick={() => save(isComputed ? undefined : { $expr: typeof value === 'string' ? value : 'null' })}
        >
          <Variable size={14} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

function Channels({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      {label}
      {names.map((name) => (
        <Badge key={name}>{name}</Badge>
      ))}
    </>
  );
}

/** The form of a configuration, made from the schema of the node type. */
function Configuration({
  id,
  step,
  issues,
  editor,
}: {
  readonly id: string;
  readonly step: Step;
  readonly issues: readonly Issue[];
  readonly editor: Editor | null;
}) {
  const types = useQuery({
    ...read('workflows', 'nodeTypes', { query: { types: step.type, detail: 'full' } }),
    staleTime: Infinity,
  });
  const errorOf = (name: string): string | undefined =>
    issues.find(({ path, severity }) => severity === 'error' && path.startsWith(`/nodes/${id}/config/${name}`))
      ?.message;
  return (
    <Loaded query={types} lines={3}>
      {({ nodeTypes: [type] }) => {
        const schema = (type?.config ?? {}) as Schema;
        const properties = Object.entries(schema.properties ?? {});
        return (
          <section className="grid gap-3" aria-label={words.configuration}>
            <p className="text-muted">{type?.summary}</p>
            {(type?.reads.length ?? 0) + (type?.writes.length ?? 0) > 0 && (
              <p className="flex flex-wrap gap-1 text-xs text-muted">
                <Channels label={words.reads} names={type?.reads ?? []} />
                <Channels label={words.writes} names={type?.writes ?? []} />
              </p>
            )}
            {properties.length === 0 && <p className="text-muted">{words.noConfiguration}</p>}
            {properties.map(([name, inner]) => (
              <ConfigField
                key={name}
                name={name}
                schema={inner}
                step={step}
                error={errorOf(name)}
                needed={schema.required?.includes(name) ?? false}
                save={(value) =>
                  void editor?.apply({ op: 'set_config', nodeId: id, mode: 'merge', config: { [name]: value ?? null } })
                }
              />
            ))}
          </section>
        );
      }}
    </Loaded>
  );
}

/** Everything about one node: its id, configuration, what comes after it, and how it fails. */
export function NodePanel({ graph, id, issues, editor, onRename, onAdd }: NodePanelProps) {
  const step = graph.nodes[id];
  if (step === undefined) return <p className="text-muted">{words.noNode}</p>;
  const own = issues.filter(({ nodeId }) => nodeId === id);
  const rename = (to: string): undefined => {
    void editor?.apply({ op: 'rename_node', nodeId: id, to }).then((done) => {
      if (done) onRename(to);
    });
  };
  return (
    <fieldset disabled={editor === null} className="grid min-w-0 gap-4">
      <legend className="mb-2 flex items-center gap-2">
        <TypeIcon type={step.type} size={18} />
        <span className="font-semibold">{id}</span>
        <span className="text-muted">{step.type}</span>
      </legend>
      {own.map(({ severity, message, hint, path }) => (
        <p
          key={`${path} ${message}`}
          className={`rounded-md px-2.5 py-1.5 ${severity === 'error' ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'}`}
        >
          {message} {hint}
        </p>
      ))}
      <Committed label={words.nodeId} hint={words.nodeIdHint} stored={id} onCommit={rename} />
      <Configuration id={id} step={step} issues={own} editor={editor} />
      <Connections graph={graph} from={id} editor={editor} />
      <ExecutionFields graph={graph} id={id} step={step} editor={editor} />
      {editor !== null && (
        <div className="flex flex-wrap gap-2 border-t border-line pt-3">
          <Button size="small" icon={<Plus size={14} aria-hidden />} onClick={onAdd}>
            {words.addAfter}
          </Button>
          <Button size="small" onClick={() => void editor.apply({ op: 'set_entry', nodeId: id })}>
            {words.makeFirst}
          </Button>
          <Button
            size="small"
            look="danger"
            icon={<Trash2 size={14} aria-hidden />}
            onClick={() => void editor.apply({ op: 'remove_node', nodeId: id })}
          >
            {words.removeNode}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
