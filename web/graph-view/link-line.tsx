import { BaseEdge, EdgeLabelRenderer, getSmoothStepPath, type Edge, type EdgeProps } from '@xyflow/react';
import { workflows as words } from '../text/workflows.ts';
import { changeLetters, type Change } from './compare.ts';
import { longestLabel, type PlacedLink, type Point } from './layout.ts';

export type LinkEdge = Edge<{ readonly link: PlacedLink; readonly change?: Change | undefined }, 'link'>;

/** A smooth line through points: curves between the middles of its parts. */
function through(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (first === undefined || last === undefined) return '';
  const curves = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    const isEnd = at === rest.length - 2;
    const end = isEnd ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x},${point.y} ${end.x},${end.y}`;
  });
  return `M${first.x},${first.y} ${curves.length === 0 ? `L${last.x},${last.y}` : curves.join(' ')}`;
}

function Label({
  link,
  change,
  at,
}: {
  readonly link: PlacedLink;
  readonly change?: Change | undefined;
  readonly at: Point;
}) {
  const { kind, text = '' } = link;
  const shown = text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text;
  const letter = change === undefined ? '' : `${changeLetters[change]} `;
  if (kind === 'always' && change === undefined) return null;
  return (
    <EdgeLabelRenderer>
      <div
        title={text}
        style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}
        className={`pointer-events-auto absolute flex items-center gap-1 rounded-md border bg-raised px-1.5 text-[0.6875rem] leading-5 whitespace-nowrap ${kind === 'error' ? 'border-bad/50 text-bad' : 'border-line text-fg'}`}
      >
        {letter !== '' && <b>{letter}</b>}
        {kind !== 'always' && <span className={kind === 'error' ? '' : 'text-muted'}>{words.links[kind]}</span>}
        {shown !== '' && <code className="font-mono">{shown}</code>}
      </div>
    </EdgeLabelRenderer>
  );
}

const strokes: Readonly<Record<Change, string>> = { added: 'var(--ok)', removed: 'var(--bad)', changed: 'var(--warn)' };

/** One line of the picture with its condition. */
export function LinkLine({ data, markerEnd, selected = false, ...ends }: EdgeProps<LinkEdge>) {
  const link = data?.link;
  if (link === undefined) return null;
  const [stepped, x, y] = getSmoothStepPath({ ...ends, borderRadius: 12 });
  const isFree = link.points.length > 1;
  const { kind } = link;
  const change = data?.change;
  const stroke = selected
    ? 'var(--accent)'
    : change === undefined
      ? kind === 'error'
        ? 'var(--bad)'
        : 'var(--line-strong)'
      : strokes[change];
  const dashes = change === 'removed' || kind === 'error' ? '5 4' : kind === 'each' ? '2 3' : undefined;
  return (
    <>
      <BaseEdge
        path={isFree ? through(link.points) : stepped}
        {...(markerEnd === undefined ? {} : { markerEnd })}
        style={{ stroke, strokeWidth: selected ? 2.5 : 1.5, ...(dashes !== undefined && { strokeDasharray: dashes }) }}
      />
      <Label link={link} change={change} at={isFree ? link.label : { x, y }} />
    </>
  );
}
