import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { workflows as words } from '../text/workflows.ts';
import { TypeIcon } from './icons.ts';
import { changeLetters, type Change } from './compare.ts';

export type StepNode = Node<
  {
    readonly type: string;
    readonly errors: number;
    readonly warnings: number;
    readonly change?: Change | undefined;
    readonly isOpen: boolean;
  },
  'step'
>;

const changeLook: Readonly<Record<Change, string>> = {
  added: 'border-ok bg-ok-soft',
  removed: 'border-bad bg-bad-soft border-dashed',
  changed: 'border-warn bg-warn-soft',
};

/** Marks of a node: what a comparison or the checker says about it. */
function Marks({ data }: { readonly data: StepNode['data'] }) {
  const { change, errors, warnings } = data;
  return (
    <>
      {change !== undefined && (
        <span
          title={words.changes[change]}
          className="grid size-5 shrink-0 place-items-center rounded-sm border border-current text-xs font-semibold"
        >
          {changeLetters[change]}
        </span>
      )}
      {errors > 0 && <CircleAlert size={16} aria-hidden className="shrink-0 text-bad" />}
      {errors === 0 && warnings > 0 && <TriangleAlert size={16} aria-hidden className="shrink-0 text-warn" />}
    </>
  );
}

/** One node of the picture. */
export function StepBox({ id, data, selected }: NodeProps<StepNode>) {
  const look = data.change === undefined ? 'border-line-strong/60 bg-panel' : changeLook[data.change];
  return (
    <div
      className={`flex h-14 w-52 items-center gap-2.5 rounded-lg border px-3 ${look} ${selected ? 'outline-2 outline-offset-2 outline-accent' : ''}`}
    >
      <Handle type="target" position={Position.Top} isConnectable={data.isOpen} />
      <TypeIcon type={data.type} size={18} />
      <span className="grid min-w-0 flex-1 leading-tight" dir="auto">
        <span className="truncate font-medium text-fg">{id}</span>
        <span className="truncate text-xs text-muted">{data.type}</span>
      </span>
      <Marks data={data} />
      <Handle type="source" position={Position.Bottom} isConnectable={data.isOpen} />
    </div>
  );
}

export type EndNode = Node<{ readonly isOpen: boolean }, 'end'>;

/** START or END. */
export function EndBox({ id, data }: NodeProps<EndNode>) {
  return (
    <div className="grid h-7 w-18 place-items-center rounded-full border border-line-strong bg-bg text-xs font-medium text-muted">
      {id === 'START' ? (
        <Handle type="source" position={Position.Bottom} isConnectable={data.isOpen} />
      ) : (
        <Handle type="target" position={Position.Top} isConnectable={data.isOpen} />
      )}
      {id === 'START' ? words.start : words.end}
    </div>
  );
}
