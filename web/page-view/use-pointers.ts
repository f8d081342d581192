import { useEffect, useEffectEvent, useRef, type PointerEvent, type RefObject } from 'react';
import type { Point } from './geometry.ts';
import type { Placing } from './use-view.ts';

const distance = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y);
const middle = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });

/** Wheel: moves; with Control, as touch pads send it for a pinch, zooms. At its edge the page around the view scrolls. */
function useWheel(element: RefObject<HTMLElement | null>, placing: Placing): void {
  const onWheel = useEffectEvent((event: WheelEvent): void => {
    const from = element.current?.getBoundingClientRect();
    if (from === undefined) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = { x: event.clientX - from.left, y: event.clientY - from.top };
      placing.zoomBy(Math.exp(Math.max(-40, Math.min(40, -event.deltaY * unit)) * 0.008), at);
      return;
    }
    const [x, y] = event.shiftKey ? [event.deltaY, event.deltaX] : [event.deltaX, event.deltaY];
    if (placing.moveBy(-x * unit, -y * unit)) event.preventDefault();
  });
  useEffect(() => {
    const target = element.current;
    const listener = (event: WheelEvent): void => onWheel(event);
    // Not a property of React, whose wheel listeners cannot keep the browser from zooming the whole page.
    target?.addEventListener('wheel', listener, { passive: false });
    return () => target?.removeEventListener('wheel', listener);
  }, [element]);
}

/** Drags with one pointer, pinches with two. Dragging over text selects it, with a mouse. */
export function usePointers(element: RefObject<HTMLElement | null>, placing: Placing) {
  useWheel(element, placing);
  const pointers = useRef(new Map<number, Point>());
  const local = (event: PointerEvent): Point => {
    const from = element.current?.getBoundingClientRect();
    return { x: event.clientX - (from?.left ?? 0), y: event.clientY - (from?.top ?? 0) };
  };
  const leave = (event: PointerEvent): void => void pointers.current.delete(event.pointerId);
  return {
    onPointerDown: (event: PointerEvent): void => {
      const isText = event.target instanceof Element && event.target.closest('text') !== null;
      if (event.pointerType === 'mouse' && (event.button > 1 || (event.button === 0 && isText))) return;
      if (event.button === 1) event.preventDefault();
      getSelection()?.removeAllRanges();
      pointers.current.set(event.pointerId, local(event));
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent): void => {
      const before = pointers.current.get(event.pointerId);
      if (before === undefined) return;
      const now = local(event);
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, now);
      if (other === undefined) {
        placing.moveBy(now.x - before.x, now.y - before.y);
        return;
      }
      const [from, to] = [middle(before, other), middle(now, other)];
      placing.moveBy(to.x - from.x, to.y - from.y);
      placing.zoomBy(distance(now, other) / Math.max(1, distance(before, other)), to);
    },
    onPointerUp: leave,
    onPointerCancel: leave,
  };
}
