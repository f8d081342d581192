import { pageAt } from '../../router/navigate.ts';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Reply } from '../../api/families.ts';
import { compared as compareGraphs } from '../../graph-view/compare.ts';
import { graphOf } from '../../graph-view/graph.ts';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { useCan } from '../../shell/session.ts';
import { workflows as words } from '../../text/workflows.ts';
import { CompareBar, nameOfVersion } from './compare-bar.tsx';
import { useEditor, type Editor } from './edit/editor.ts';
import { Panes } from './panes.tsx';
import { StateLine, Toolbar } from './toolbar.tsx';

// The page shows without these: they load when they are needed.
const AddNodeDialog = lazy(async () => ({ default: (await import('./add-node-dialog.tsx')).AddNodeDialog }));
const PublishDialog = lazy(async () => ({ default: (await import('./publish-dialog.tsx')).PublishDialog }));
const ConflictDialog = lazy(async () => ({ default: (await import('./edit/conflict-dialog.tsx')).ConflictDialog }));
const CopyButton = lazy(async () => ({ default: (await import('../workflows/create-dialog.tsx')).CopyButton }));

const route = pageAt('/workflows/$id');

type Workflow = Reply<'workflows', 'get'>;

interface WorkbenchProps {
  readonly id: string;
  readonly workflow: Workflow;
  readonly error: Error | null;
  readonly compared?: { readonly ref: 'draft' | 'published' | number; readonly graph: Workflow['graph'] } | undefined;
}

/** Tells when the draft that shows is no longer the one that this page saved. */
function useTellOfOthers(editor: Editor, revision: number | null): void {
  const told = useRef(revision ?? 0);
  useEffect(() => {
    if (revision === null || editor.isSaving) return;
    if (revision > Math.max(editor.saved(), told.current)) toast(words.changedByOthers(revision));
    told.current = Math.max(told.current, revision);
  }, [revision, editor]);
}

/** The page of one workflow, once it is loaded. */
export function Workbench({ id, workflow, error, compared }: WorkbenchProps) {
  const { node, version } = route.useSearch();
  const { navigate } = route;
  const canWrite = useCan('workflows:write');
  const [dialog, open] = useState<{ readonly name: 'add' | 'publish'; readonly after?: string } | null>(null);
  const editor = useEditor(id, workflow.revision);
  useTellOfOthers(editor, workflow.revision);
  const canEdit = canWrite && workflow.source !== 'code';
  const isOpen = canEdit && (version === undefined || version === 'draft') && compared === undefined;
  const graph = useMemo(() => graphOf(workflow.graph), [workflow.graph]);
  const before = compared?.graph;
  const difference = useMemo(
    () => (before === undefined ? null : compareGraphs(graphOf(before), graph)),
    [before, graph],
  );
  const choose = useCallback(
    (next: string | undefined) =>
      navigate({
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
    navigate({ search: (old) => ({ ...old, tab: 'problems' }), replace: true });
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
          canWrite && (
            <Suspense fallback={null}>
              <CopyButton workflowId={id} name={graph.name} />
            </Suspense>
          )
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
            <Button size="small" onClick={() => navigate({ search: (old) => ({ ...old, version: undefined }) })}>
              {words.backToDraft}
            </Button>
          </div>
        )}
        <Panes
          {...{ workflow, canEdit, difference, onChoose: choose, onAddAfter: addAfter }}
          graph={shown}
          editor={isOpen ? editor : null}
        />
      </div>
      <Suspense fallback={null}>
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
        {editor.conflict !== null && <ConflictDialog editor={editor} />}
      </Suspense>
    </Page>
  );
}
