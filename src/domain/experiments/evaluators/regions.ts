import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import { f1 } from '#src/domain/experiments/evaluators/fields.ts';
import {
  failure,
  noted,
  outputOf,
  unjudged,
  type PureEvaluator,
  type Score,
} from '#src/domain/experiments/evaluators/evaluator.ts';

/** Corners of a box: left, top, right, bottom, as shares of the page. */
type Corners = readonly [number, number, number, number];
interface Region {
  readonly page: number;
  readonly label: string;
  readonly corners: Corners;
}

/** Boxes as width and height differ from the same boxes as corners by this much. */
const rounding = 1e-9;
/** Regions of an output that are compared. */
const mostRegions = 1_000;

const areaOf = ([left, top, right, bottom]: Corners): number => Math.max(0, right - left) * Math.max(0, bottom - top);

/** Area of the intersection by the area of the union; 0 for boxes without area. Source: Everingham et al. 2010, "overlap". */
function overlapOf(one: Corners, other: Corners): number {
  const shared = areaOf([
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]);
  const all = areaOf(one) + areaOf(other) - shared;
  return all > 0 ? shared / all : 0;
}

const foldedLabel = (label: string): string => label.normalize('NFKC').trim().toLowerCase();

/** Region of an output: a segment, whose box is [x, y, width, height]; null if it has no such box. */
function regionOf(found: unknown): Region | null {
  if (typeof found !== 'object' || found === null) return null;
  const { page, label, box } = found as Readonly<Record<string, unknown>>;
  if (!Array.isArray(box) || box.length !== 4) return null;
  const [x, y, width, height] = box.map(Number) as [number, number, number, number];
  if (![x, y, width, height].every(Number.isFinite)) return null;
  return {
    page: typeof page === 'number' ? page : 0,
    label: typeof label === 'string' ? foldedLabel(label) : '',
    corners: [x, y, x + width, y + height],
  };
}

const wantedRegion = ({ page, label, box }: NonNullable<Reference['regions']>[number]): Region => ({
  page,
  label: foldedLabel(label),
  corners: box,
});

/** Overlaps of matched pairs. The pair with the largest overlap is matched first; each region is in at most one pair. */
function matchesOf(wanted: readonly Region[], found: readonly Region[], spec: SpecOf<'iou'>): number[] {
  const pairs = wanted.flatMap((one, from) =>
    found.flatMap((other, to) => {
      if (one.page !== other.page || (!spec.ignoreLabels && one.label !== other.label)) return [];
      const overlap = overlapOf(one.corners, other.corners);
      return overlap >= spec.threshold - rounding ? [{ from, to, overlap }] : [];
    }),
  );
  const [taken, used] = [new Set<number>(), new Set<number>()];
  return pairs
    .toSorted((a, b) => b.overlap - a.overlap || a.from - b.from || a.to - b.to)
    .flatMap(({ from, to, overlap }) => {
      if (taken.has(from) || used.has(to)) return [];
      taken.add(from);
      used.add(to);
      return [overlap];
    });
}

/**
 * F1 of regions: a region is found if an output region on the same page with the same label overlaps it by the threshold or more
 * (PASCAL VOC: 0.5). A second region on the same place is invented, as there. Pairs are chosen by overlap, since regions of references
 * have no score to go by. Boxes of references are [x0, y0, x1, y1], those of outputs [x, y, width, height].
 */
export function regionsEvaluator(spec: SpecOf<'iou'>): PureEvaluator {
  const score = (wanted: readonly Region[], found: readonly Region[]): Score => {
    const overlaps = matchesOf(wanted, found, spec);
    const value = f1(overlaps.length, found.length, wanted.length);
    const mean = overlaps.reduce((sum, one) => sum + one, 0) / overlaps.length;
    const counts = `${overlaps.length} of ${wanted.length} regions found, ${found.length - overlaps.length} invented`;
    return noted({ value, quality: value }, [
      overlaps.length === 0 ? `${counts}.` : `${counts}, mean overlap ${mean.toFixed(2)}.`,
    ]);
  };
  return {
    unit: 'F1',
    better: 'higher',
    range: [0, 1],
    needs: 'regions',
    score: (observation, reference) => {
      if (reference?.regions === undefined) return unjudged('The reference has no regions.');
      const failed = failure(observation);
      if (failed !== null) return { value: 0, quality: 0, note: failed };
      const output = outputOf(observation, spec, 'regions');
      if (!Array.isArray(output))
        return { value: 0, quality: 0, note: `The run has no regions in output "${spec.output}".` };
      const found = output.slice(0, mostRegions).flatMap((one: unknown) => regionOf(one) ?? []);
      const judged = score(reference.regions.map(wantedRegion), found);
      const cut = output.length > mostRegions ? `Only the first ${mostRegions} regions are compared.` : null;
      return noted(judged, [judged.note, cut]);
    },
  };
}
