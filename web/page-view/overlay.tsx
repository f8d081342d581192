import { memo } from 'react';
import type { Box, Size } from './geometry.ts';
import type { TextLine } from './words.ts';

const tones = {
  accent: 'fill-accent/15 stroke-accent',
  mark: 'fill-mark/45 stroke-transparent mix-blend-multiply',
  ok: 'fill-ok/12 stroke-ok',
  warn: 'fill-warn/15 stroke-warn',
  bad: 'fill-bad/12 stroke-bad',
  info: 'fill-info/12 stroke-info',
  doubt: 'fill-transparent stroke-warn',
};
export type BoxTone = keyof typeof tones;
const labels: Readonly<Record<BoxTone, string>> = {
  accent: 'fill-accent',
  mark: 'fill-fg',
  ok: 'fill-ok',
  warn: 'fill-warn',
  bad: 'fill-bad',
  info: 'fill-info',
  doubt: 'fill-warn',
};

/** A marked place of a page. `polygon` is drawn instead of the box; `label` is written at its corner. */
export interface PageBox {
  readonly box: Box;
  readonly tone?: BoxTone;
  readonly polygon?: readonly (readonly [number, number])[];
  readonly label?: string;
  /** Draws attention for a moment. */
  readonly isFlashing?: boolean;
}

/** All boxes of a page, in units of the page. */
export function Boxes({ boxes, size }: { readonly boxes: readonly PageBox[]; readonly size: Size }) {
  const { width, height } = size;
  return boxes.map(({ box, tone = 'accent', polygon, label, isFlashing }) => {
    const [x, y, w, h] = box;
    const look = `${tones[tone]} ${isFlashing === true ? 'flash' : ''}`;
    const shared = { className: look, strokeWidth: 1.5, vectorEffect: 'non-scaling-stroke', pointerEvents: 'none' };
    return (
      <g key={`${tone} ${box.join(' ')} ${label ?? ''}`}>
        {polygon !== undefined && polygon.length > 2 ? (
          <polygon {...shared} points={polygon.map(([px, py]) => `${px * width},${py * height}`).join(' ')} />
        ) : tone === 'doubt' ? (
          <line
            {...shared}
            strokeDasharray="3 2"
            x1={x * width}
            x2={(x + w) * width}
            y1={(y + h) * height}
            y2={(y + h) * height}
          />
        ) : (
          <rect {...shared} x={x * width} y={y * height} width={w * width} height={h * height} rx={width / 500} />
        )}
        {label !== undefined && (
          <text
            x={x * width}
            y={y * height - height / 300}
            fontSize={width / 60}
            className={`${labels[tone]} font-semibold`}
            pointerEvents="none"
          >
            {label}
          </text>
        )}
      </g>
    );
  });
}

/**
 * The recognized lines over the picture: not seen, but there to select, copy and find with the browser's search, and read by screen
 * readers. Each line is as wide as its box. Lines that run down or up are turned.
 */
export const TextLayer = memo(function TextLayer({
  lines,
  size,
}: {
  readonly lines: readonly TextLine[];
  readonly size: Size;
}) {
  return lines.map(({ words, box }, index) => {
    const [x, y, w, h] = box;
    const text = words.map((word) => word.text).join(' ');
    const [width, height] = [w * size.width, h * size.height];
    const isSideways = height > width * 1.5 && text.length > 2;
    const [along, across] = isSideways ? [height, width] : [width, height];
    const [left, top] = [x * size.width, y * size.height];
    return (
      <text
        key={box.join(' ')}
        data-line={index}
        x={0}
        y={across * 0.8}
        fontSize={Math.max(1, across * 0.9)}
        textLength={Math.max(1, along)}
        lengthAdjust="spacingAndGlyphs"
        transform={isSideways ? `translate(${left + width} ${top}) rotate(90)` : `translate(${left} ${top})`}
        className="cursor-text fill-transparent select-text selection:bg-accent/30 selection:fill-transparent"
      >
        {text}
      </text>
    );
  });
});
