import { useEffect, useLayoutEffect, useMemo, useRef, type KeyboardEvent } from 'react';
import { addShortcuts, type Shortcut } from '../shell/shortcuts.ts';
import { pageView as words } from '../text/page-view.ts';
import type { Placing } from './use-view.ts';

interface Moves {
  readonly placing: Placing;
  readonly page: number;
  readonly pages: number;
  readonly onPage: ((page: number) => void) | undefined;
  readonly onRotate: () => void;
}

const arrowPixels = 60;

/** Keys of a page: the single ones of the list, and the arrows while the page has the focus. */
export function useViewKeys(moves: Moves) {
  const latest = useRef(moves);
  useLayoutEffect(() => {
    latest.current = moves;
  });
  const hasPages = moves.onPage !== undefined && moves.pages > 1;
  const list = useMemo((): readonly Shortcut[] => {
    const zoom = (factor: number) => latest.current.placing.zoomBy(factor);
    const go = (step: number): void => {
      const { page, pages, onPage } = latest.current;
      if (page + step >= 0 && page + step < pages) onPage?.(page + step);
    };
    return [
      { keys: '+', words: words.zoomIn, run: () => zoom(1.25) },
      { keys: '-', words: words.zoomOut, run: () => zoom(1 / 1.25) },
      { keys: '0', words: words.fitPage, run: () => latest.current.placing.setFit('page') },
      { keys: 'f', words: words.fitWidth, run: () => latest.current.placing.setFit('width') },
      { keys: 'r', words: words.rotate, run: () => latest.current.onRotate() },
      ...(hasPages
        ? [
            { keys: 'n', words: words.next, run: () => go(1) },
            { keys: 'p', words: words.previous, run: () => go(-1) },
          ]
        : []),
    ];
  }, [hasPages]);
  const onArrow = (event: KeyboardEvent): void => {
    const move = {
      ArrowLeft: [arrowPixels, 0],
      ArrowRight: [-arrowPixels, 0],
      ArrowUp: [0, arrowPixels],
      ArrowDown: [0, -arrowPixels],
    }[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    latest.current.placing.moveBy(move[0] ?? 0, move[1] ?? 0);
  };
  return { list, onArrow };
}

/** Registers the single keys. */
export function useKeys({ list }: { readonly list: readonly Shortcut[] }, isOn: boolean): void {
  useEffect(() => (isOn ? addShortcuts(list) : undefined), [list, isOn]);
}
