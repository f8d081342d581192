import { pageAt } from '../../router/navigate.ts';
import { lazy, Suspense, useMemo } from 'react';
import type { Reply } from '../../api/families.ts';
import type { Comparison } from '../../graph-view/compare.ts';
import type { Graph, Link } from '../../graph-view/graph.ts';
import { Skeleton } from '../../parts/states.tsx';
import { workflows as words } from '../../text/workflows.ts';
import type { Editor } from './edit/editor.ts';
import { countsOf } from './edit/problems.ts';
import { removeLink } from './node/edit-connections.ts';
import { Outline } from './outline.tsx';
import { SidePanel } from './side-panel.tsx';

// The picture is most of the bytes: outline and panels work before it is there.
const GraphView = lazy(async () => ({ default: (await import('../../graph-view/graph-view.tsx')).GraphView }));

const route = pageAt('/workflows/$id');

/** Edits of the picture and the outline as operations. */
function useGestures(editor: Editor | null, graph: Graph) {
  return useMemo(
    () => ({
      connect: (from: string, to: string) => void editor?.apply({ op: 'add_edge', edge: { from, to } }),
      removeNode: (nodeId: string) => void editor?.apply({ op: 'remove_node', nodeId }),
      removeLink: (link: Link) => void editor?.apply(removeLink(graph, link)),
      move: (nodeId: string, { x, y }: { readonly x: number; readonly y: number }) =>
        void editor?.apply({
          op: 'set_metadata',
          layout: { ...graph.layout, [nodeId]: { x: Math.round(x), y: Math.round(y) } },
        }),
    }),
    [editor, graph],
  );
}

interface PanesProps {
  readonly workflow: Reply<'workflows', 'get'>;
  readonly graph: Graph;
  readonly difference: Comparison | null;
  /** null: the version is only looked at. */
  readonly editor: Editor | null;
  readonly canEdit: boolean;
  readonly onChoose: (id: string | undefined) => void;
  readonly onAddAfter: (id?: string) => void;
}

/** Outline, picture and panel side by side, or one below the other on small screens. */
export function Panes({ workflow, graph, difference, editor, canEdit, onChoose, onAddAfter }: PanesProps) {
  const { node } = route.useSearch();
  const problems = useMemo(() => countsOf(workflow.issues), [workflow.issues]);
  const gestures = useGestures(editor, graph);
  const shared = { graph, chosen: node, problems, onChoose };
  const outline = (
    <Outline
      {...shared}
      changes={difference?.nodes}
      {...(editor !== null && { edit: { ...gestures, addAfter: onAddAfter } })}
    />
  );
  return (
    <div className="grid gap-4 lg:min-h-0 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_23rem] xl:grid-cols-[14rem_minmax(0,1fr)_23.5rem]">
      <section
        aria-label={words.outline}
        className="overflow-y-auto rounded-lg border border-line bg-panel p-2 max-xl:hidden"
      >
        {outline}
      </section>
      <section
        aria-label={words.picture}
        className="h-[55dvh] min-h-72 overflow-hidden rounded-lg border border-line lg:h-auto"
      >
        <Suspense fallback={<Skeleton />}>
          <GraphView
            {...shared}
            {...(difference !== null && { nodeChanges: difference.nodes, linkChanges: difference.links })}
            {...(editor !== null && { edit: gestures })}
          />
        </Suspense>
      </section>
      <section
        aria-label={words.panelsLabel}
        onInput={editor?.hold}
        onBlur={editor?.release}
        className="min-w-0 overflow-y-auto rounded-lg border border-line bg-panel px-4 pt-1 pb-4"
      >
        <SidePanel key={editor?.epoch} {...{ workflow, graph, editor, canEdit, onChoose, onAddAfter }} />
      </section>
      <details className="rounded-lg border border-line bg-panel p-2 lg:col-span-2 xl:hidden">
        <summary className="px-1 font-medium">{words.outline}</summary>
        {outline}
      </details>
    </div>
  );
}
