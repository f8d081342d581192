import { useEffect, useRef, useState, type ReactNode } from 'react';

interface NearRowsProps {
  readonly at: number;
  /** Height of the rows while they were never shown, in pixels. */
  readonly height: number;
  /** True: shown from the start, before anybody measures. */
  readonly isFirst: boolean;
  /** The rows were shown. */
  readonly onShown: (at: number) => void;
  readonly children: () => ReactNode;
}

/** Distance from the window at which rows are shown already. */
const margin = '900px 0px';

/** Rows that are there while they are near the window, and else a gap of their height: ten thousand cards scroll as well as ten. */
export function NearRows({ at, height, isFirst, onShown, children }: NearRowsProps) {
  const element = useRef<HTMLDivElement>(null);
  const [{ isNear, gap }, set] = useState({ isNear: isFirst, gap: height });
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (entry === undefined) return;
        // Rows that leave are as high as they were; those that were never there, as high as their like.
        set((old) => ({ isNear: entry.isIntersecting, gap: old.isNear ? entry.boundingClientRect.height : old.gap }));
      },
      { rootMargin: margin },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (isNear) onShown(at);
  }, [isNear, at, onShown]);
  return (
    <div ref={element} role="presentation" style={isNear ? undefined : { height: gap }}>
      {isNear && children()}
    </div>
  );
}
