import { ChevronDown, ChevronRight, CircleAlert, TriangleAlert } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import type { Change } from '../../graph-view/compare.ts';
import { changeLetters } from '../../graph-view/compare.ts';
import { linksOf, orderOf, type Graph, type Link } from '../../graph-view/graph.ts';
import type { Counts } from '../../graph-view/graph-view.tsx';
import { TypeIcon } from '../../graph-view/icons.ts';
import { workflows as words } from '../../text/workflows.ts';

interface OutlineProps {
  readonly graph: Graph;
  readonly chosen?: string | undefined;
  readonly problems: ReadonlyMap<string, Counts>;
  readonly changes?: ReadonlyMap<string, Change> | undefined;
  readonly onChoose: (id: string) => void;
  readonly edit?: {
    readonly removeNode: (id: string) => void;
    readonly removeLink: (link: Link) => void;
    readonly addAfter: (id: string) => void;
  };
}

/** One line of the outline: a node, or one of the ways that leave it. */
type Line =
  | { readonly key: string; readonly id: string; readonly link?: undefined; readonly count: number }
  | { readonly key: string; readonly id: string; readonly link: Link };

function linesOf(graph: Graph, closed: ReadonlySet<string>): readonly Line[] {
  const links = Map.groupBy(linksOf(graph), ({ from }) => from);
  return ['START', ...orderOf(graph)].flatMap((id): Line[] => {
    const own = links.get(id) ?? [];
    const shown = closed.has(id) ? [] : own;
    return [{ key: id, id, count: own.length }, ...shown.map((link): Line => ({ key: link.id, id: link.to, link }))];
  });
}

const nameOf = (id: string): string => ({ START: words.start, END: words.end })[id] ?? id;

function NodeLine({
  id,
  graph,
  problems,
  changes,
}: { readonly id: string } & Pick<OutlineProps, 'graph' | 'problems' | 'changes'>) {
  const step = graph.nodes[id];
  const { errors = 0, warnings = 0 } = problems.get(id) ?? {};
  const change = changes?.get(id);
  return (
    <>
      {step !== undefined && <TypeIcon type={step.type} size={14} />}
      <span className="truncate" dir="auto">
        {nameOf(id)}
      </span>
      {change !== undefined && (
        <abbr title={words.changes[change]} className="text-xs font-semibold no-underline">
          {changeLetters[change]}
        </abbr>
      )}
      {errors > 0 && <CircleAlert size={14} aria-label={words.problemsCount(errors)} className="shrink-0 text-bad" />}
      {errors === 0 && warnings > 0 && (
        <TriangleAlert size={14} aria-label={words.problemsCount(warnings)} className="shrink-0 text-warn" />
      )}
    </>
  );
}

function LinkLine({ link }: { readonly link: Link }) {
  return (
    <>
      <span aria-hidden>→</span>
      <span className="shrink-0" dir="auto">
        {nameOf(link.to)}
      </span>
      {link.kind !== 'always' && (
        <span className={`shrink-0 ${link.kind === 'error' ? 'text-bad' : ''}`}>{words.links[link.kind]}</span>
      )}
      {link.text !== undefined && (
        <code className="truncate font-mono" title={link.text}>
          {link.text}
        </code>
      )}
    </>
  );
}

/** Finds the line that a key of the tree leads to: the index of the next line, or null. */
function stepOf(key: string, at: number, lines: readonly Line[]): number | null {
  const isLink = lines[at]?.link !== undefined;
  const parent = lines.slice(0, at).findLastIndex(({ link }) => link === undefined);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[key];
  if (next !== undefined) return Math.max(0, Math.min(lines.length - 1, next));
  if (key === 'ArrowLeft' && isLink) return parent;
  if (key === 'ArrowRight' && !isLink && lines[at + 1]?.link !== undefined) return at + 1;
  return null;
}

/**
 * The workflow as a tree: arrow keys move, Enter opens a node, A adds one after it, Delete removes a node or a way. All else that the
 * picture can do is in the panel of the node.
 */
export function Outline({ graph, chosen, problems, changes, onChoose, edit }: OutlineProps) {
  const tree = useRef<HTMLUListElement>(null);
  const [closed, close] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string>();
  const lines = linesOf(graph, closed);
  const current = lines.find(({ key }) => key === active) ?? lines.find(({ key }) => key === chosen) ?? lines[0];
  const toggle = (id: string, isClosed: boolean): void =>
    close((old) => new Set(isClosed ? [...old, id] : [...old].filter((one) => one !== id)));
  const open = ({ id, link }: Line): void => {
    const to = link === undefined ? id : link.from;
    if (to !== 'START') onChoose(to);
  };
  const onKey = (event: KeyboardEvent): void => {
    const at = lines.findIndex(({ key }) => key === current?.key);
    const line = lines[at];
    if (line === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { id, link } = line;
    const next = stepOf(event.key, at, lines);
    const act: Record<string, (() => void) | undefined> = {
      Enter: () => open(line),
      ' ': () => open(line),
      ArrowLeft: link === undefined ? () => toggle(id, true) : undefined,
      ArrowRight: link === undefined ? () => toggle(id, false) : undefined,
      Delete: () => (link === undefined ? id !== 'START' && edit?.removeNode(id) : edit?.removeLink(link)),
      a: link === undefined ? () => edit?.addAfter(id) : undefined,
    };
    const run = act[event.key];
    if (next === null && run === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (next === null) return run?.();
    const key = lines[next]?.key;
    setActive(key);
    tree.current?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus();
  };
  return (
    <ul
      ref={tree}
      role="tree"
      aria-label={words.outline}
      onKeyDown={onKey}
      className="grid grid-cols-[minmax(0,1fr)] text-sm"
    >
      {lines.map((line) => {
        const { key, id, link } = line;
        const isNode = link === undefined;
        const hasWays = isNode && line.count > 0;
        const isClosed = closed.has(id);
        const Arrow = isClosed ? ChevronRight : ChevronDown;
        return (
          <li
            key={key}
            role="treeitem"
            data-key={key}
            aria-level={isNode ? 1 : 2}
            aria-expanded={hasWays ? !isClosed : undefined}
            aria-selected={isNode && id === chosen}
            tabIndex={key === current?.key ? 0 : -1}
            onFocus={() => setActive(key)}
            onClick={() => open(line)}
            className={`flex min-h-7 cursor-default items-center gap-1.5 rounded-md px-1.5 py-0.5 hover:bg-hover aria-selected:bg-accent-soft ${isNode ? 'font-medium' : 'ps-7 text-xs text-muted'}`}
          >
            {hasWays && (
              <span
                role="presentation"
                onClick={(event) => {
                  event.stopPropagation();
                  toggle(id, !isClosed);
                }}
              >
                <Arrow size={14} aria-hidden className="text-muted" />
              </span>
            )}
            {isNode ? <NodeLine {...{ id, graph, problems, changes }} /> : <LinkLine link={link} />}
          </li>
        );
      })}
    </ul>
  );
}
