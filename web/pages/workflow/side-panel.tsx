import { getRouteApi } from '@tanstack/react-router';
import type { Reply } from '../../api/families.ts';
import type { Graph } from '../../graph-view/graph.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { workflows as words } from '../../text/workflows.ts';
import { Differences } from './compare-bar.tsx';
import type { Editor } from './edit/editor.ts';
import { NodePanel } from './node/node-panel.tsx';
import { ChannelsPanel } from './panels/channels-panel.tsx';
import { ProblemsPanel } from './panels/problems-panel.tsx';
import { SettingsPanel } from './panels/settings-panel.tsx';
import { TestPanel } from './panels/test-panel.tsx';
import { VersionsPanel } from './panels/versions-panel.tsx';
import { panels } from './search.ts';

const route = getRouteApi('/workflows/$id');

interface SidePanelProps {
  readonly workflow: Reply<'workflows', 'get'>;
  readonly graph: Graph;
  readonly editor: Editor | null;
  readonly canEdit: boolean;
  readonly onChoose: (id: string | undefined) => void;
  readonly onAddAfter: (id: string) => void;
}

/** Everything beside the picture: the chosen node, problems, channels, versions, a test and settings. */
export function SidePanel({ workflow, graph, editor, canEdit, onChoose, onAddAfter }: SidePanelProps) {
  const { tab, node, compare, version } = route.useSearch();
  const navigate = route.useNavigate();
  const { workflowId, issues, revision, publishedVersion } = workflow;
  const chosen = tab ?? (compare === undefined ? 'node' : 'versions');
  const isStored = workflow.source !== 'code';
  const shown = panels.filter((name) => name !== 'versions' || isStored);
  const body = {
    node: () =>
      node === undefined ? (
        <p className="text-muted">{words.chooseNode}</p>
      ) : (
        <NodePanel
          key={node}
          {...{ graph, issues, editor }}
          id={node}
          onRename={onChoose}
          onAdd={() => onAddAfter(node)}
        />
      ),
    problems: () => <ProblemsPanel {...{ graph, issues, editor, onChoose }} />,
    versions: () => (
      <div className="grid gap-4">
        {compare !== undefined && <Differences id={workflowId} from={compare} to={version ?? 'draft'} />}
        <VersionsPanel id={workflowId} revision={revision} canEdit={canEdit} />
      </div>
    ),
    test: () => <TestPanel id={workflowId} publishedVersion={publishedVersion} />,
    settings: () => (
      <div className="grid gap-6">
        <SettingsPanel {...{ graph, editor }} />
        <ChannelsPanel {...{ graph, editor }} />
      </div>
    ),
  };
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
      onChoose={(name) => void navigate({ search: (old) => ({ ...old, tab: name }), replace: true })}
    >
      {body[chosen]()}
    </Tabs>
  );
}
