import {
  applyNodeChanges,
  MarkerType,
  ReactFlow,
  type Connection,
  type NodeChange,
  type ReactFlowInstance,
} from '@xyflow/react';
import { useEffect, useMemo, useState } from 'react';
import { workflows as words } from '../text/workflows.ts';
import { linkKey, type Change } from './compare.ts';
import type { Graph, Link } from './graph.ts';
import { arranged, sizeOf, type Point } from './layout.ts';
import { LinkLine, type LinkEdge } from './link-line.tsx';
import { ZoomButtons } from './zoom-buttons.tsx';
import { EndBox, StepBox, type EndNode, type StepNode } from './step-box.tsx';
import './graph-view.css';

type AnyNode = StepNode | EndNode;

const nodeTypes = { step: StepBox, end: EndBox };
const edgeTypes = { link: LinkLine };
const fit = { padding: 0.1, maxZoom: 1 };

export interface Counts {
  readonly errors: number;
  readonly warnings: number;
}

interface GraphViewProps {
  readonly graph: Graph;
  readonly chosen?: string | undefined;
  readonly problems?: ReadonlyMap<string, Counts>;
  readonly nodeChanges?: ReadonlyMap<string, Change>;
  readonly linkChanges?: ReadonlyMap<string, Change>;
  /** Edits by pointer; absent: the picture is only looked at. Every one of them has a twin in the panels. */
  readonly edit?: {
    readonly connect: (from: string, to: string) => void;
    readonly removeNode: (id: string) => void;
    readonly removeLink: (link: Link) => void;
    readonly move: (id: string, to: Point) => void;
  };
  readonly onChoose: (id: string | undefined) => void;
}

const none: Counts = { errors: 0, warnings: 0 };

function useNodes({ graph, chosen, problems, nodeChanges, edit }: GraphViewProps, places: ReadonlyMap<string, Point>) {
  const isOpen = edit !== undefined;
  const made = useMemo(
    () =>
      [...places].map(([id, position]): AnyNode => {
        const shared = { id, position, ...sizeOf(id) };
        const step = graph.nodes[id];
        if (step === undefined)
          return { ...shared, type: 'end', data: { isOpen }, deletable: false, selectable: false };
        const found = problems?.get(id) ?? none;
        const { type } = step;
        const label = words.nodeLabel(id, type, found.errors + found.warnings);
        return {
          ...shared,
          type: 'step',
          selected: id === chosen,
          ariaLabel: label,
          data: { type, ...found, change: nodeChanges?.get(id), isOpen },
        };
      }),
    [places, graph, chosen, problems, nodeChanges, isOpen],
  );
  const [nodes, setNodes] = useState(made);
  const [seen, setSeen] = useState(made);
  if (seen !== made) {
    setSeen(made);
    setNodes(made);
  }
  return [nodes, setNodes] as const;
}

/** Picture of a workflow. Nodes can be chosen, and where `edit` is given, moved, connected and removed. */
export function GraphView(props: GraphViewProps) {
  const { graph, linkChanges, edit, onChoose } = props;
  const arrangement = useMemo(() => arranged(graph), [graph]);
  const [nodes, setNodes] = useNodes(props, arrangement.nodes);
  const edges = useMemo(
    () =>
      arrangement.links.map((link): LinkEdge => ({
        id: link.id,
        source: link.from,
        target: link.to,
        type: 'link',
        data: { link, change: linkChanges?.get(linkKey(link)) },
        markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)', width: 16, height: 16 },
        deletable: link.kind !== 'error',
      })),
    [arrangement, linkChanges],
  );
  const isOpen = edit !== undefined;
  const [flow, setFlow] = useState<ReactFlowInstance<AnyNode, LinkEdge>>();
  const ids = ['START', ...Object.keys(graph.nodes), 'END'].join(' ');
  useEffect(() => {
    // A frame later, the new nodes are measured.
    const frame = requestAnimationFrame(
      () => void flow?.fitView({ ...fit, nodes: ids.split(' ').map((id) => ({ id })) }),
    );
    return () => cancelAnimationFrame(frame);
  }, [flow, ids]);
  return (
    <ReactFlow<AnyNode, LinkEdge>
      aria-label={words.picture}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={(changes: NodeChange<AnyNode>[]) => {
        const chosen = changes.find((change) => change.type === 'select' && change.selected);
        if (chosen?.type === 'select') onChoose(chosen.id);
        setNodes((old) =>
          applyNodeChanges(
            changes.filter(({ type }) => type !== 'remove'),
            old,
          ),
        );
      }}
      onPaneClick={() => onChoose(undefined)}
      onNodeDragStop={(_, { id, position }) => edit?.move(id, position)}
      onConnect={({ source, target }: Connection) => edit?.connect(source, target)}
      onBeforeDelete={async ({ nodes: gone, edges: lines }) => {
        const [node] = gone;
        const [line] = lines;
        if (node !== undefined) edit?.removeNode(node.id);
        else if (line?.data !== undefined) edit?.removeLink(line.data.link);
        return false;
      }}
      deleteKeyCode={isOpen ? ['Delete', 'Backspace'] : null}
      nodesDraggable={isOpen}
      nodesConnectable={isOpen}
      edgesFocusable={false}
      fitView
      fitViewOptions={fit}
      onInit={setFlow}
      minZoom={0.15}
      maxZoom={2}
      proOptions={{ hideAttribution: false }}
    >
      <ZoomButtons flow={flow} onFit={() => void flow?.fitView(fit)} />
    </ReactFlow>
  );
}
