import { ArrowUp, X } from 'lucide-react';
import { Link as PageLink } from '../../../router/link.tsx';
import { IconButton } from '../../../parts/button.tsx';
import { SelectField } from '../../../parts/field.tsx';
import { linksOf, type Graph, type Link } from '../../../graph-view/graph.ts';
import { workflows as words } from '../../../text/workflows.ts';
import { changeRouter, moveUp, removeLink, routerOf } from './edit-connections.ts';
import type { Editor } from '../edit/editor.ts';
import { Committed } from '../form/text-fields.tsx';
import { NewConnection } from './new-connection.tsx';

interface ConnectionsProps {
  readonly graph: Graph;
  readonly from: string;
  readonly editor: Editor | null;
}

/** Condition of a route, or list of a map, to change in place. */
function LinkText({
  graph,
  link,
  editor,
}: {
  readonly graph: Graph;
  readonly link: Link;
  readonly editor: Editor | null;
}) {
  const { from, kind, place, text = '' } = link;
  if (kind !== 'when' && kind !== 'each') return null;
  if (editor === null) return <code className="text-xs">{text}</code>;
  const at = Number(link.id.split('.')[1]);
  const save = (next: string): undefined => {
    const when = (routerOf(graph, from)?.when ?? []).map((route, index) =>
      index === at ? { ...route, if: next } : route,
    );
    void editor.apply(
      kind === 'when'
        ? changeRouter(graph, from, { when })
        : { op: 'set_field', path: `/edges/${place}/map/over`, value: next },
    );
  };
  return (
    <Committed label={kind === 'when' ? words.condition : words.over} isQuiet isCode stored={text} onCommit={save} />
  );
}

function Row({ graph, link, editor }: { readonly graph: Graph; readonly link: Link; readonly editor: Editor | null }) {
  const { kind, to } = link;
  const up = kind === 'when' ? moveUp(graph, link) : null;
  return (
    <li className="grid gap-1 border-b border-line py-1.5 last:border-0">
      <div className="flex items-center gap-2">
        <span className={`text-xs ${kind === 'error' ? 'text-bad' : 'text-muted'}`}>{words.links[kind]}</span>
        <span className="min-w-0 flex-1 truncate">
          {Object.hasOwn(graph.nodes, to) ? (
            <PageLink to="." search={(old) => ({ ...old, node: to })} className="text-accent hover:underline">
              {to}
            </PageLink>
          ) : (
            words.end
          )}
        </span>
        {editor !== null && up !== null && (
          <IconButton size="small" label={words.moveUp(to)} onClick={() => void editor.apply(up)}>
            <ArrowUp size={14} aria-hidden />
          </IconButton>
        )}
        {editor !== null && (
          <IconButton
            size="small"
            label={words.disconnect(to)}
            onClick={() => void editor.apply(removeLink(graph, link))}
          >
            <X size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      <LinkText graph={graph} link={link} editor={editor} />
    </li>
  );
}

/** Nodes that can come after another. */
const targetsOf = (graph: Graph): readonly string[] => [...Object.keys(graph.nodes), 'END'];

/** Target of the run when no condition held. */
function Otherwise({ graph, from, editor }: { readonly graph: Graph; readonly from: string; readonly editor: Editor }) {
  const router = routerOf(graph, from);
  if (router === undefined) return null;
  return (
    <SelectField
      label={words.otherwise}
      value={router.else ?? ''}
      onChange={({ currentTarget: { value } }) =>
        void editor.apply(changeRouter(graph, from, { else: value === '' ? undefined : value }))
      }
    >
      <option value="">{words.nothing}</option>
      {targetsOf(graph).map((id) => (
        <option key={id}>{id}</option>
      ))}
    </SelectField>
  );
}

/** All ways that leave a node, in the order in which they are tried, and a form for another. */
export function Connections({ graph, from, editor }: ConnectionsProps) {
  const links = linksOf(graph).filter((link) => link.from === from);
  return (
    <section className="grid gap-2" aria-label={words.connections}>
      <h2 className="text-sm">{words.connections}</h2>
      {links.length === 0 && <p className="text-muted">{words.connectionsNone}</p>}
      <ul>
        {links.map((link) => (
          <Row key={link.id} {...{ graph, link, editor }} />
        ))}
      </ul>
      {editor !== null && <Otherwise {...{ graph, from, editor }} />}
      {editor !== null && <NewConnection {...{ graph, from, editor }} />}
    </section>
  );
}
