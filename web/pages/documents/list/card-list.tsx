import { useCallback, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { NearRows } from '../../../parts/near-rows.tsx';
import { density } from '../../../shell/theme.ts';
import { useLatest } from '../../../state/latest.ts';
import { useStore } from '../../../state/store.ts';
import { documents as words } from '../../../text/documents.ts';
import type { Card } from '../card.ts';
import { DocumentCard } from '../document-card.tsx';
import type { DocumentsView } from '../search.ts';

import type { Selection } from './selection.ts';
import { useSelectionKeys } from './selection-keys.ts';

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

/** Width of the list, 0 before it is known. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWidth(current.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
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

/** Rows that come and go together. */
const together = 4;

/** Documents as cards or rows. Those alone that are near the window are on the page. */
export function CardList({ cards, view, selection, onEnd }: CardListProps) {
  const { element, width } = useWidth();
  const chosen = useStore(density);
  // Two cards fit beside each other on a phone.
  const isNarrow = width < 480 && view === 'grid';
  const [least, height] = measures[view][isNarrow ? 'compact' : chosen];
  const gap = view === 'list' ? 6 : 16;
  const columns = Math.max(1, Math.floor((width + gap) / (least + gap)));
  const size = columns * together;
  const groups = width === 0 ? 0 : Math.ceil(cards.length / size);
  const [active, setActive] = useState(0);
  const wanted = useRef<number | null>(null);
  const focusWanted = useCallback((): void => {
    const link = element.current?.querySelector<HTMLElement>(`[data-at="${wanted.current}"]`);
    if (link === null || link === undefined) return;
    wanted.current = null;
    link.closest('[role=listitem]')?.scrollIntoView({ block: 'nearest' });
    link.focus({ preventScroll: true });
  }, [element]);
  const onShown = useCallback(
    (at: number): void => {
      focusWanted();
      if (at === groups - 1) onEnd();
    },
    [focusWanted, groups, onEnd],
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = target(event.key, active, { columns, last: cards.length - 1 });
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
    wanted.current = next;
    focusWanted();
    // Far rows come when they are near the window.
    if (wanted.current !== null)
      element.current?.children[Math.floor(next / size)]?.scrollIntoView({ block: 'nearest' });
    if (event.shiftKey && next !== active) selection.toggle(next, true);
  };
  const latest = useLatest({ active, selection });
  const select = useMemo(
    () => (at: number, isRange: boolean) => latest.current.selection.toggle(at, isRange),
    [latest],
  );
  useSelectionKeys(latest, selection.isAllowed);
  const cardAt = (card: Card, at: number): ReactNode => (
    <div key={card.id} role="listitem" className="scroll-my-4">
      <DocumentCard
        {...{ card, at, view }}
        isSelectable={selection.isAllowed}
        isSelected={selection.ids.has(card.id)}
        isActive={at === Math.min(active, cards.length - 1)}
        onSelect={select}
        onActive={setActive}
      />
    </div>
  );
  return (
    <div ref={element} role="list" aria-label={words.list} onKeyDown={onKeyDown}>
      {Array.from({ length: groups }, (_, group) => {
        const [first, end] = [group * size, Math.min(cards.length, (group + 1) * size)];
        const rows = Math.ceil((end - first) / columns);
        return (
          // Other columns make other rows, of another height.
          <NearRows
            key={`${view} ${columns} ${group}`}
            at={group}
            height={rows * (height + gap)}
            isFirst={group === 0}
            onShown={onShown}
          >
            {() => (
              <div
                role="presentation"
                className="grid"
                style={{
                  gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
                  columnGap: gap,
                  rowGap: gap,
                  paddingBottom: gap,
                }}
              >
                {cards.slice(first, end).map((card, index) => cardAt(card, first + index))}
              </div>
            )}
          </NearRows>
        );
      })}
    </div>
  );
}
