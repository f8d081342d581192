import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { compared as compareGraphs } from '../../graph-view/compare.ts';
import { graphOf, type Link } from '../../graph-view/graph.ts';
import { GraphView } from '../../graph-view/graph-view.tsx';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { useCan } from '../../shell/session.ts';
import { workflows as words } from '../../text/workflows.ts';
import { CopyButton } from '../workflows/create-dialog.tsx';
import { AddNodeDialog } from './add-node-dialog.tsx';
import { CompareBar, nameOfVersion } from './compare-bar.tsx';
import { ConflictDialog } from './edit/conflict-dialog.tsx';
import { useEditor, type Editor } from './edit/editor.ts';
import { countsOf } from './edit/problems.ts';
import { removeLink } from './node/edit-connections.ts';
import { Outline } from './outline.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { SidePanel } from './side-panel.tsx';
import { StateLine, Toolbar } from './toolbar.tsx';

const route = getRouteApi('/workflows/$id');

type Workflow = Reply<'workflows', 'get'>;

interface WorkbenchProps {
  readonly id: string;
  readonly workflow: Workflow;
  readonly error: Error | null;
  readonly compared?: { readonly ref: 'draft' | 'published' | number; readonly graph: Workflow['graph'] } | undefined;
}

/** Tells when the draft that shows is no longer the one that this page saved. */
function useTellOfOthers(editor: Editor, revision: number | null): void {
  const [first] = useState(revision);
  useEffect(() => {
    const own = Math.max(editor.saved(), first ?? 0);
    if (revision !== null && revision > own && !editor.isSaving) toast(words.changedByOthers(revision));
    // Only a new revision is news.
  }, [revision]);
}

/** Edits of the picture and the outline as operations. */
function useGestures(editor: Editor, graph: ReturnType<typeof graphOf>) {
  return useMemo(
    () => ({
      connect: (from: string, to: string) => void editor.apply({ op: 'add_edge', edge: { from, to } }),
      removeNode: (nodeId: string) => void editor.apply({ op: 'remove_node', nodeId }),
      removeLink: (link: Link) => void editor.apply(removeLink(graph, link)),
      move: (nodeId: string, { x, y }: { readonly x: number; readonly y: number }) =>
        void editor.apply({
          op: 'set_metadata',
          layout: { ...graph.layout, [nodeId]: { x: Math.round(x), y: Math.round(y) } },
        }),
    }),
    [editor, graph],
  );
}

/** The page of one workflow, once it is loaded. */
export function Workbench({ id, workflow, error, compared }: WorkbenchProps) {
  const { node, version } = route.useSearch();
  const navigate = route.useNavigate();
  const canWrite = useCan('workflows:write');
  const [dialog, open] = useState<{ readonly name: 'add' | 'publish'; readonly after?: string } | null>(null);
  const editor = useEditor(id, workflow.revision);
  useTellOfOthers(editor, workflow.revision);
  const canEdit = canWrite && workflow.source !== 'code';
  const isOpen = canEdit && (version === undefined || version === 'draft') && compared === undefined;
  const graph = useMemo(() => graphOf(workflow.graph), [workflow.graph]);
  const difference = useMemo(
    () => (compared === undefined ? null : compareGraphs(graphOf(compared.graph), graph)),
    [compared?.graph, graph],
  );
  const problems = useMemo(() => countsOf(workflow.issues), [workflow.issues]);
  const gestures = useGestures(editor, graph);
  const choose = useCallback(
    (next: string | undefined) =>
      void navigate({
        search: (old) => ({ ...old, node: next, tab: next === undefined ? old.tab : 'node' }),
        replace: true,
      }),
    [navigate],
  );
  const addAfter = useCallback((after?: string) => open({ name: 'add', ...(after !== undefined && { after }) }), []);
  const add = useCallback(() => addAfter(node), [addAfter, node]);
  const publish = useCallback(() => {
    const errors = workflow.issues.filter(({ severity }) => severity === 'error').length;
    if (errors === 0) return open({ name: 'publish' });
    toast(words.errorsBlock(errors));
    void navigate({ search: (old) => ({ ...old, tab: 'problems' }), replace: true });
  }, [workflow.issues, navigate]);
  const shown = difference?.graph ?? graph;
  return (
    <Page
      title={graph.name}
      lead={<StateLine workflow={workflow} editor={isOpen ? editor : null} />}
      actions={
        isOpen ? (
          <Toolbar editor={editor} onAdd={add} onPublish={publish} />
        ) : (
          canWrite && <CopyButton workflowId={id} name={graph.name} />
        )
      }
    >
      <div className="flex flex-col gap-3 lg:-mb-6 lg:h-[calc(100dvh-7rem)]">
        {error !== null && <Failure error={error} />}
        {workflow.source === 'code' && <p className="text-muted">{words.readOnly}</p>}
        {compared !== undefined && <CompareBar from={compared.ref} to={version ?? 'draft'} />}
        {version !== undefined && version !== 'draft' && compared === undefined && (
          <div
            role="status"
            className="flex flex-wrap items-center gap-2 rounded-lg bg-info-soft px-3 py-1.5 text-info"
          >
            <span className="flex-1">{words.showsVersion(nameOfVersion(version))}</span>
            <Button size="small" onClick={() => void navigate({ search: (old) => ({ ...old, version: undefined }) })}>
              {words.backToDraft}
            </Button>
          </div>
        )}
        <div className="grid gap-4 lg:min-h-0 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_23rem] xl:grid-cols-[14rem_minmax(0,1fr)_23.5rem]">
          <section
            aria-label={words.outline}
            className="overflow-y-auto rounded-lg border border-line bg-panel p-2 max-xl:hidden"
          >
            <Outline
              graph={shown}
              chosen={node}
              problems={problems}
              changes={difference?.nodes}
              onChoose={choose}
              {...(isOpen && { edit: { ...gestures, addAfter } })}
            />
          </section>
          <section
            aria-label={words.picture}
            className="h-[55dvh] min-h-72 overflow-hidden rounded-lg border border-line lg:h-auto"
          >
            <GraphView
              graph={shown}
              chosen={node}
              problems={problems}
              onChoose={choose}
              {...(difference !== null && { nodeChanges: difference.nodes, linkChanges: difference.links })}
              {...(isOpen && { edit: gestures })}
            />
          </section>
          <section
            aria-label={words.panelsLabel}
            onInput={editor.hold}
            onBlur={editor.release}
            className="min-w-0 overflow-y-auto rounded-lg border border-line bg-panel px-4 pt-1 pb-4"
          >
            <SidePanel
              key={editor.epoch}
              {...{ workflow, graph: shown, canEdit }}
              editor={isOpen ? editor : null}
              onChoose={choose}
              onAddAfter={addAfter}
            />
          </section>
          <details className="rounded-lg border border-line bg-panel p-2 lg:col-span-2 xl:hidden">
            <summary className="px-1 font-medium">{words.outline}</summary>
            <Outline
              graph={shown}
              chosen={node}
              problems={problems}
              changes={difference?.nodes}
              onChoose={choose}
              {...(isOpen && { edit: { ...gestures, addAfter } })}
            />
          </details>
        </div>
      </div>
      {dialog?.name === 'add' && (
        <AddNodeDialog
          graph={graph}
          after={dialog.after}
          editor={editor}
          onClose={() => open(null)}
          onAdded={(added) => {
            open(null);
            choose(added);
          }}
        />
      )}
      {dialog?.name === 'publish' && <PublishDialog workflow={workflow} onClose={() => open(null)} />}
      <ConflictDialog editor={editor} />
    </Page>
  );
}
