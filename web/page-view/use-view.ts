import { useLayoutEffect, useState, type RefObject } from 'react';
import { fitted, kept, shown, zoomed, type Box, type Point, type Size, type View } from './geometry.ts';

export type Fit = 'page' | 'width';

/** Size of an element, from its first layout on. */
function useRoom(element: RefObject<HTMLElement | null>): Size | null {
  const [room, setRoom] = useState<Size | null>(null);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setRoom({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return room;
}

/** Place of the page in its view, and its moves. `page` is the size of the page as it is turned. */
export interface Placing {
  // Moves answer false where the page is at its edge or largest already.
  /** Null before the first layout. */
  readonly view: View | null;
  readonly room: Size | null;
  /** Zoom relative to the whole page. */
  readonly zoom: number;
  readonly isFitting: boolean;
  readonly setFit: (fit: Fit) => void;
  readonly zoomBy: (factor: number, around?: Point) => boolean;
  readonly moveBy: (x: number, y: number) => boolean;
  readonly show: (box: Box) => boolean;
}

export function useView(
  element: RefObject<HTMLElement | null>,
  of: { readonly index: number; readonly size: Size },
  usual: Fit,
): Placing {
  const { index, size: page } = of;
  const room = useRoom(element);
  const [fit, chooseFit] = useState<Fit>(usual);
  const [free, setFree] = useState<(View & { readonly index: number }) | null>(null);
  const usualView = room === null ? null : fitted(fit, page, room);
  /** Another page keeps the zoom, and begins at its top. */
  const moved = (one: NonNullable<typeof free>, within: Size): View =>
    kept(one.index === index ? one : { ...one, y: Number.MAX_SAFE_INTEGER }, page, within);
  const view = room === null || usualView === null ? null : free === null ? usualView : moved(free, room);
  /** Several events may come before the next rendering: each continues where the one before ended. */
  const change = (make: (view: View, sizes: { page: Size; room: Size }) => View): boolean => {
    if (room === null || view === null || usualView === null) return false;
    setFree((now) => ({ ...make(now === null ? usualView : moved(now, room), { page, room }), index }));
    const next = make(view, { page, room });
    return next.x !== view.x || next.y !== view.y || next.scale !== view.scale;
  };
  return {
    view,
    room,
    zoom: view === null || room === null ? 1 : view.scale / fitted('page', page, room).scale,
    isFitting: free === null,
    setFit: (next) => {
      chooseFit(next);
      setFree(null);
    },
    zoomBy: (factor, at) =>
      change((now, sizes) => zoomed(now, factor, at ?? { x: sizes.room.width / 2, y: sizes.room.height / 2 }, sizes)),
    moveBy: (x, y) => change((now, sizes) => kept({ ...now, x: now.x + x, y: now.y + y }, sizes.page, sizes.room)),
    show: (box) => change((now, sizes) => shown(now, box, sizes)),
  };
}
