/** Degrees clockwise. */
export type Turn = 0 | 90 | 180 | 270;
export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Point {
  readonly x: number;
  readonly y: number;
}
/** x, y, width, height as fractions 0..1 of the page, from its upper left corner. */
export type Box = readonly [x: number, y: number, width: number, height: number];
/** Place of a page in its view: pixels of the screen per unit of the page, and where its upper left corner is. */
export interface View extends Point {
  readonly scale: number;
}

/** Pixels that stay free around a page. */
const margin = 12;
const sizes = { least: 0.25, most: 12 };

export const turnedSize = ({ width, height }: Size, turn: Turn): Size =>
  turn % 180 === 0 ? { width, height } : { width: height, height: width };

export const addTurns = (one: Turn, other: number): Turn => ((((one + other) % 360) + 360) % 360) as Turn;

/** A point of a page, after the page is turned. Fractions of the page before and after. */
export function turnPoint({ x, y }: Point, turn: Turn): Point {
  if (turn === 90) return { x: 1 - y, y: x };
  if (turn === 180) return { x: 1 - x, y: 1 - y };
  return turn === 270 ? { x: y, y: 1 - x } : { x, y };
}

/** A box of a page, after the page is turned. */
export function turnBox([x, y, width, height]: Box, turn: Turn): Box {
  if (turn === 90) return [1 - y - height, x, height, width];
  if (turn === 180) return [1 - x - width, 1 - y - height, width, height];
  return turn === 270 ? [y, 1 - x - width, height, width] : [x, y, width, height];
}

/** Style of an element of `size` that is turned and still begins at the upper left corner of its parent. */
export function turnedStyle({ width, height }: Size, turn: Turn) {
  const [left, top] = { 0: [0, 0], 90: [height, 0], 180: [width, height], 270: [0, width] }[turn] as [number, number];
  return {
    width,
    height,
    transformOrigin: '0 0',
    transform: turn === 0 ? 'none' : `translate(${left}px, ${top}px) rotate(${turn}deg)`,
  };
}

const between = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

function placed(at: number, length: number, room: number): number {
  return length + 2 * margin <= room ? (room - length) / 2 : between(at, room - length - margin, margin);
}

/** Keeps the page in its view: a small page in the middle, a large one without gaps at its edges. */
export function kept({ scale, x, y }: View, page: Size, room: Size): View {
  return {
    scale,
    x: placed(x, page.width * scale, room.width),
    y: placed(y, page.height * scale, room.height),
  };
}

/** The whole page, or its whole width. */
export function fitted(fit: 'page' | 'width', page: Size, room: Size): View {
  const across = Math.max(1, room.width - 2 * margin) / page.width;
  const down = Math.max(1, room.height - 2 * margin) / page.height;
  return kept({ scale: fit === 'width' ? across : Math.min(across, down), x: margin, y: margin }, page, room);
}

/** Zooms by `factor`; the point of the page below `around` stays where it is. */
export function zoomed(view: View, factor: number, around: Point, { page, room }: { page: Size; room: Size }): View {
  const whole = fitted('page', page, room).scale;
  const scale = between(view.scale * factor, whole * sizes.least, whole * sizes.most);
  const grown = scale / view.scale;
  return kept(
    { scale, x: around.x - (around.x - view.x) * grown, y: around.y - (around.y - view.y) * grown },
    page,
    room,
  );
}

/** Shows a box in the middle, large enough to read and no smaller than before. */
export function shown(view: View, [x, y, width, height]: Box, { page, room }: { page: Size; room: Size }): View {
  const readable = 18 / Math.max(1, Math.min(height * page.height, width * page.width));
  const whole = (room.width - 2 * margin) / Math.max(1, width * page.width);
  const scale = Math.max(view.scale, Math.min(readable, whole, view.scale * 2.5));
  const middle = { x: (x + width / 2) * page.width, y: (y + height / 2) * page.height };
  return kept({ scale, x: room.width / 2 - middle.x * scale, y: room.height / 2 - middle.y * scale }, page, room);
}

/** Smallest box around all. `null` without boxes. */
export function boxAround(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const left = Math.min(...boxes.map(([x]) => x));
  const top = Math.min(...boxes.map(([, y]) => y));
  const right = Math.max(...boxes.map(([x, , width]) => x + width));
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height));
  return [left, top, right - left, bottom - top];
}

/** A box as an address has it: `0.1,0.2,0.3,0.05`. */
export const boxText = (box: Box): string => box.map((value) => Number(value.toFixed(4))).join(',');

/** A box of an address, or undefined where it is none. */
export function parseBox(text: string | undefined): Box | undefined {
  const [x, y, width, height, more] = text?.split(',').map(Number) ?? [];
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  const isBox = more === undefined && [x, y, width, height].every((value) => value >= 0 && value <= 1);
  return isBox ? [x, y, width, height] : undefined;
}
