import { AppError } from '#src/domain/app-error.ts';
import type { Provider } from '#src/adapters/segmentation/providers.ts';

type Point = readonly [number, number];

/** A region of a response. Coordinates are fractions and not clipped yet. */
export interface Region {
  readonly label: string | null;
  readonly score: number;
  /** [left, top, right, bottom]. */
  readonly corners: readonly [number, number, number, number] | null;
  readonly polygon: readonly Point[] | null;
  /** Address, data URL or base64 of a picture. */
  readonly mask: string | null;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const broken = (what: string, cause?: unknown): AppError =>
  new AppError('segmentation.failed', `The segmentation service returned an unknown format: ${what}.`, { cause });

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);

/** Reads the regions of a response in its order. Throws `segmentation.failed` with the problem. */
export function readAnswer(answer: unknown, provider: Provider, size: Size): Region[] {
  const status = isFields(answer) ? answer['status'] : undefined;
  if (status === 'starting' || status === 'processing')
    throw new AppError('segmentation.failed', 'The segmentation service did not finish in time.');
  if (status === 'failed' || status === 'canceled')
    throw new AppError('segmentation.failed', 'The segmentation service reports a failure.');
  const items = provider.items.map((path) => listAt(answer, path)).find((list) => list !== null);
  if (items === undefined)
    throw broken(`no list of regions at ${provider.items.filter(Boolean).join(', ') || 'the top'}`);
  const beside = (name: string, at: number): unknown => {
    const home = isFields(answer) && isFields(answer['output']) ? answer['output'] : answer;
    const list = isFields(home) ? home[name] : undefined;
    return Array.isArray(list) ? list[at] : undefined;
  };
  return items.flatMap((item, at) => {
    const fields: Fields = isFields(item) ? item : { mask: item };
    // Some services return scores and boxes in separate lists.
    const whole = { score: beside('scores', at), box: beside('boxes', at), ...fields };
    return regionsOf(whole, provider, size, at);
  });
}

function listAt(value: unknown, path: string): unknown[] | null {
  if (path === '') return Array.isArray(value) ? value : null;
  const [name = '', ...rest] = path.split('.');
  if (name === '*') {
    if (!Array.isArray(value)) return null;
    const lists = value.map((item) => listAt(item, rest.join('.')));
    return lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []);
  }
  return isFields(value) && Object.hasOwn(value, name) ? listAt(value[name], rest.join('.')) : null;
}

function first(fields: Fields, ...names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined && value !== null);
}

/** Reads one item: one region, or one for each of its polygons. */
function regionsOf(fields: Fields, provider: Provider, size: Size, at: number): Region[] {
  const label = first(fields, 'label', 'class', 'class_name', 'name');
  const score = first(fields, 'score', 'confidence', 'probability') ?? 1;
  if (!isNumber(score)) throw broken(`region ${at} has a score that is no number`);
  const polygons = polygonsOf(first(fields, 'masks', 'polygon', 'points'), size, at);
  const mask = maskOf(first(fields, 'mask', 'url'), at);
  const corners = cornersOf(fields, provider, size, at);
  const about = {
    label: typeof label === 'string' ? label : null,
    score: Math.min(1, Math.max(0, score)),
    corners,
    mask,
  };
  if (corners === null && mask === null && polygons.length === 0)
    throw broken(`region ${at} has no box, polygon or mask`);
  return polygons.length === 0 ? [{ ...about, polygon: null }] : polygons.map((polygon) => ({ ...about, polygon }));
}

/** Takes coordinates for pixels unless all of them are fractions. */
function scaled(points: readonly Point[], { width, height }: Size): Point[] {
  const isFraction = points.every(([x, y]) => x <= 1 && y <= 1);
  return isFraction ? [...points] : points.map(([x, y]): Point => [x / width, y / height]);
}

function pointOf(value: unknown): Point | null {
  if (isNumbers(value) && value.length === 2) return [value[0] ?? 0, value[1] ?? 0];
  return isFields(value) && isNumber(value['x']) && isNumber(value['y']) ? [value['x'], value['y']] : null;
}

function polygonsOf(value: unknown, size: Size, at: number): Point[][] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw broken(`region ${at} has a polygon that is no list`);
  const isOne = value.length > 0 && pointOf(value[0]) !== null;
  return (isOne ? [value] : value).map((polygon: unknown) => {
    const points = Array.isArray(polygon) ? polygon.slice(0, 10_000).map(pointOf) : [];
    const known = points.filter((point) => point !== null);
    if (known.length < 3 || known.length < points.length) throw broken(`region ${at} has a polygon that is none`);
    return scaled(known, size);
  });
}

function cornersOf(fields: Fields, provider: Provider, size: Size, at: number): Region['corners'] {
  const value =
    first(fields, 'box', 'bbox', 'bounding_box', 'box_2d') ??
    (isNumber(fields['width']) && isNumber(fields['x']) ? fields : undefined);
  if (value === undefined) return null;
  const four = isFields(value)
    ? namedBox(value, provider)
    : isNumbers(value) && value.length === 4
      ? listedBox(value, provider.box)
      : null;
  if (four === null || !four.every(isNumber)) throw broken(`region ${at} has a box that is none`);
  const [left = 0, top = 0, right = 0, bottom = 0] = four;
  const [[x, y], [endX, endY]] = scaled(
    [
      [left, top],
      [right, bottom],
    ],
    size,
  ) as [Point, Point];
  if (endX < x || endY < y) throw broken(`region ${at} has a box that ends before it begins`);
  return [x, y, endX, endY];
}

function listedBox([a = 0, b = 0, c = 0, d = 0]: readonly number[], order: Provider['box']): number[] {
  if (order === 'corners') return [a, b, c, d];
  return order === 'size' ? [a, b, a + c, b + d] : [a - c / 2, b - d / 2, a + c / 2, b + d / 2];
}

function namedBox(box: Fields, { centered }: Provider): number[] | null {
  const numbers = (...names: string[]): number[] | null => {
    const values = names.map((name) => box[name]);
    return isNumbers(values) ? values : null;
  };
  const corners =
    numbers('xmin', 'ymin', 'xmax', 'ymax') ??
    numbers('x1', 'y1', 'x2', 'y2') ??
    numbers('left', 'top', 'right', 'bottom');
  if (corners !== null) return corners;
  const sized = numbers('x', 'y', 'width', 'height') ?? numbers('left', 'top', 'width', 'height');
  return sized && listedBox(sized, centered === true ? 'center' : 'size');
}

function maskOf(value: unknown, at: number): Region['mask'] {
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '') return value;
  if (isFields(value) && typeof value['url'] === 'string') return value['url'];
  throw broken(`region ${at} has a mask that is none`);
}
