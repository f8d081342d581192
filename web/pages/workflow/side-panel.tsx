import { pageAt } from '../../router/navigate.ts';
import { lazy, Suspense } from 'react';
import type { Reply } from '../../api/families.ts';
import type { Graph } from '../../graph-view/graph.ts';
import { Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { workflows as words } from '../../text/workflows.ts';
import type { Editor } from './edit/editor.ts';
import { panels, type Panel } from './search.ts';

// Each panel loads when it is opened, the picture before them.
const NodePanel = lazy(async () => ({ default: (await import('./node/node-panel.tsx')).NodePanel }));
const TryNode = lazy(async () => ({ default: (await import('./try/try-node.tsx')).TryNode }));
const ProblemsPanel = lazy(async () => ({ default: (await import('./panels/problems-panel.tsx')).ProblemsPanel }));
const Differences = lazy(async () => ({ default: (await import('./panels/differences.tsx')).Differences }));
const VersionsPanel = lazy(async () => ({ default: (await import('./panels/versions-panel.tsx')).VersionsPanel }));
const TestPanel = lazy(async () => ({ default: (await import('./panels/test-panel.tsx')).TestPanel }));
const SettingsPanel = lazy(async () => ({ default: (await import('./panels/settings-panel.tsx')).SettingsPanel }));
const ChannelsPanel = lazy(async () => ({ default: (await import('./panels/channels-panel.tsx')).ChannelsPanel }));

const route = pageAt('/workflows/$id');

interface SidePanelProps {
  readonly workflow: Reply<'workflows', 'get'>;
  readonly graph: Graph;
  readonly editor: Editor | null;
  readonly canEdit: boolean;
  readonly onChoose: (id: string | undefined) => void;
  readonly onAddAfter: (id: string) => void;
}

/** The chosen panel. */
function Body({ name, ...props }: SidePanelProps & { readonly name: Panel }) {
  const { workflow, graph, editor, canEdit, onChoose, onAddAfter } = props;
  const { node, compare, version } = route.useSearch();
  const { workflowId, issues, revision } = workflow;
  switch (name) {
    case 'node':
      if (node === undefined) return <p className="text-muted">{words.chooseNode}</p>;
      return (
        <div className="grid gap-4">
          <NodePanel
            key={node}
            {...{ graph, issues, editor }}
            id={node}
            onRename={onChoose}
            onAdd={() => onAddAfter(node)}
          />
          {editor !== null && Object.hasOwn(graph.nodes, node) && (
            <TryNode key={`try ${node}`} workflowId={workflowId} nodeId={node} />
          )}
        </div>
      );
    case 'problems':
      return <ProblemsPanel {...{ graph, issues, editor, onChoose }} />;
    case 'versions':
      return (
        <div className="grid gap-4">
          {compare !== undefined && <Differences id={workflowId} from={compare} to={version ?? 'draft'} />}
          <VersionsPanel id={workflowId} revision={revision} canEdit={canEdit} />
        </div>
      );
    case 'test':
      return <TestPanel workflow={workflow} />;
    case 'settings':
      return (
        <div className="grid gap-6">
          <SettingsPanel {...{ graph, editor }} />
          <ChannelsPanel {...{ graph, editor }} />
        </div>
      );
  }
}

/** Everything beside the picture: the chosen node, problems, versions, a test, and settings with channels. */
export function SidePanel(props: SidePanelProps) {
  const { tab, compare } = route.useSearch();
  const { navigate } = route;
  const { issues, source } = props.workflow;
  const chosen = tab ?? (compare === undefined ? 'node' : 'versions');
  const shown = panels.filter((name) => name !== 'versions' || source !== 'code');
  return (
    <Tabs
      label={words.panelsLabel}
      tabs={shown.map((name) => ({
        name,
        label: words.panels[name],
        count: name === 'problems' && issues.length > 0 ? issues.length : undefined,
      }))}
      isTight
      chosen={chosen}
      onChoose={(name) => navigate({ search: (old) => ({ ...old, tab: name }), replace: true })}
    >
      <Suspense fallback={<Skeleton />}>
        <Body {...props} name={chosen} />
      </Suspense>
    </Tabs>
  );
}
