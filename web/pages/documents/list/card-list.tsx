import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useShortcuts } from '../../../shell/shortcuts.ts';
import { density } from '../../../shell/theme.ts';
import { useLatest } from '../../../state/latest.ts';
import { useStore } from '../../../state/store.ts';
import { documents as words } from '../../../text/documents.ts';
import type { Card } from '../card.ts';
import { DocumentCard } from '../document-card.tsx';
import type { DocumentsView } from '../search.ts';
import type { Selection } from './selection.ts';

interface CardListProps {
  readonly cards: readonly Card[];
  readonly view: DocumentsView;
  readonly selection: Selection;
  /** The last rows came into sight. */
  readonly onEnd: () => void;
}

/** Least width of a card and usual height of a row, in pixels. */
const measures = {
  grid: { comfortable: [208, 300], compact: [150, 230] },
  large: { comfortable: [340, 600], compact: [260, 480] },
  list: { comfortable: [Number.POSITIVE_INFINITY, 60], compact: [Number.POSITIVE_INFINITY, 40] },
} as const;

/** Width of the list and its distance from the top of the page. */
function usePlace() {
  const element = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void =>
      setPlace({ width: current.clientWidth, top: current.getBoundingClientRect().top + scrollY });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  return { element, ...place };
}

/** The card that an arrow key leads to. */
function target(key: string, at: number, { columns, last }: { columns: number; last: number }): number | undefined {
  const next = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: 0,
    End: last,
  }[key];
  return next === undefined ? undefined : Math.max(0, Math.min(last, next));
}

/** Documents as cards or rows. Only what is in sight is on the page, so that ten thousand scroll as well as ten. */
export function CardList({ cards, view, selection, onEnd }: CardListProps) {
  const { element, width, top } = usePlace();
  const chosen = useStore(density);
  // Two cards fit beside each other on a phone.
  const isNarrow = width < 480 && view === 'grid';
  const [least, height] = measures[view][isNarrow ? 'compact' : chosen];
  const gap = view === 'list' ? 6 : 16;
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)));
  const rows = Math.ceil(cards.length / columns);
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);
  // eslint-disable-next-line react/incompatible-library -- what it returns is used here only, and never memoized
  const virtual = useWindowVirtualizer({
    count: width === 0 ? 0 : rows,
    estimateSize: () => height + gap,
    overscan: 3,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const isAtEnd = (items.at(-1)?.index ?? -1) >= rows - 2;
  useEffect(() => {
    if (isAtEnd && rows > 0) onEnd();
  }, [isAtEnd, rows, onEnd]);
  useEffect(() => {
    if (wanted.current === null) return;
    const link = element.current?.querySelector<HTMLElement>(`[data-at="${wanted.current}"]`);
    if (link === null || link === undefined) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = target(event.key, active, { columns, last: cards.length - 1 });
    if (next === undefined) return;
    event.preventDefault();
    wanted.current = next;
    setActive(next);
    virtual.scrollToIndex(Math.floor(next / columns), { align: 'auto' });
    if (event.shiftKey && next !== active) selection.toggle(next, true);
  };
  const latest = useLatest({ active, selection });
  const select = useMemo(
    () => (at: number, isRange: boolean) => latest.current.selection.toggle(at, isRange),
    [latest],
  );
  useShortcuts(
    useMemo(
      () => [
        { keys: 'x', words: words.selectKey, run: () => latest.current.selection.toggle(latest.current.active) },
        { keys: 'mod+a', words: words.selectAllKey, isForPage: true, run: () => latest.current.selection.all() },
        { keys: 'Escape', words: words.selectNoneKey, run: () => latest.current.selection.clear() },
      ],
      [latest],
    ),
  );
  return (
    <div
      ref={element}
      role="list"
      aria-label={words.list}
      onKeyDown={onKeyDown}
      className="relative"
      style={{ height: virtual.getTotalSize() }}
    >
      {items.map((row) => (
        <div
          key={row.key}
          ref={virtual.measureElement}
          data-index={row.index}
          role="presentation"
          className="absolute inset-x-0 top-0 grid"
          style={{
            transform: `translateY(${row.start - top}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            columnGap: gap,
            paddingBottom: gap,
          }}
        >
          {cards.slice(row.index * columns, (row.index + 1) * columns).map((card, index) => {
            const at = row.index * columns + index;
            return (
              <div key={card.id} role="listitem">
                <DocumentCard
                  {...{ card, at, view }}
                  isSelected={selection.ids.has(card.id)}
                  isActive={at === Math.min(active, cards.length - 1)}
                  onSelect={select}
                  onActive={setActive}
                />
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
