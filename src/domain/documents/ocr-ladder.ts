/**
 * The ladder of recognitions of one page: which one to try next, and which one to keep. Pure rules; the engine does the work.
 * Source: pipeline.md "OCR" (measured on 105 receipts: mean character error 0.190 against 0.221 of one plain run).
 */

/** Degrees clockwise that a page is turned by before recognition. */
export type Rotation = 0 | 90 | 180 | 270;

/** One recognition to do. `longestSide` in pixels: larger pages are made smaller, smaller ones stay. */
export interface LadderStep {
  readonly pageSegmentationMode: number;
  readonly rotation: Rotation;
  readonly longestSide: number;
}

/** A recognition that was done: mean word confidence 0..100 weighted by word length, and characters without spaces. */
export interface LadderResult extends LadderStep {
  readonly confidence: number;
  readonly characters: number;
}

const fullSide = 2600;
const probeSide = 800;
const automaticLayout = 3;
const oneBlock = 6;
const goodConfidence = 75;
const goodCharacters = 80;
const uprightConfidence = 60;
const turns = [90, 180, 270] as const;

/** Confidence alone would prefer three sure words to a whole page of good ones. */
function score(result: LadderResult): number {
  return result.confidence * result.characters;
}

/** Index of the result to keep; -1 without results. Probes made small to find the orientation are never kept. */
export function chosenResult(done: readonly LadderResult[]): number {
  let kept = -1;
  for (const [index, result] of done.entries()) {
    const rival = done[kept];
    if (!isProbe(result) && (rival === undefined || score(result) > score(rival))) kept = index;
  }
  return kept;
}

/** The recognition to do after those done, or null when the ladder has ended. `fixedMode`: this mode once, and no ladder. */
export function nextStep(done: readonly LadderResult[], fixedMode?: number): LadderStep | null {
  const [first, second] = done;
  if (first === undefined) return full(fixedMode ?? automaticLayout, 0);
  if (fixedMode !== undefined) return null;
  if (second === undefined) return isGood(first) ? null : full(oneBlock, 0);
  const upright = best([first, second]);
  if (upright.confidence >= uprightConfidence) return null;
  if (done.some((result) => result.rotation !== 0 && !isProbe(result))) return null;
  const probes = done.filter(isProbe);
  const turn = probes.some(isGood) ? undefined : turns[probes.length];
  if (turn !== undefined) return { pageSegmentationMode: automaticLayout, rotation: turn, longestSide: probeSide };
  const turned = best(probes);
  return reads(turned, upright) ? full(automaticLayout, turned.rotation) : null;
}

function full(pageSegmentationMode: number, rotation: Rotation): LadderStep {
  return { pageSegmentationMode, rotation, longestSide: fullSide };
}

function isProbe(result: LadderStep): boolean {
  return result.longestSide === probeSide;
}

function isGood(result: LadderResult): boolean {
  return result.confidence >= goodConfidence && result.characters >= goodCharacters;
}

function best(results: readonly LadderResult[]): LadderResult {
  return results.reduce((left, right) => (score(right) > score(left) ? right : left));
}

/** A probe is small, so it may miss characters that the upright run saw, or read them with less confidence; not both. */
function reads(probe: LadderResult, upright: LadderResult): boolean {
  return probe.confidence > upright.confidence || score(probe) > score(upright);
}
