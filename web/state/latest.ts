import { useLayoutEffect, useRef, type RefObject } from 'react';

/** A value as it was at the last rendering, for handlers that keep their identity. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
