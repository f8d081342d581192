/**
 * Rules for repeated recognition of a page: the next attempt, and the result to keep. The engine does the recognition. Source:
 * docs/decisions/0020, 0110.
 */

/** Clockwise rotation of a page before recognition, in degrees. */
export type Rotation = 0 | 90 | 180 | 270;

/** One recognition attempt. `longestSide` in pixels: larger pages are scaled down, and a probe is cut out. */
export interface LadderStep {
  readonly pageSegmentationMode: number;
  readonly rotation: Rotation;
  readonly longestSide: number;
  /** Separates ink from paper for each part of the page by itself, where the whole page has no common threshold. */
  readonly localThreshold?: true;
}

/** Result of an attempt: mean word confidence (0..100, weighted by word length), words, and characters without spaces. */
export interface LadderResult extends LadderStep {
  readonly confidence: number;
  readonly words: number;
  readonly characters: number;
}

/** Signs of a page that need no recognition. They are measured only if the first attempt reads badly. */
export interface PageSigns {
  /** Direction of the lines of text on the page as it lies. */
  readonly lines: 'across' | 'down' | 'unclear';
  /** Words that the layout finds if it takes the page for one block of text. */
  readonly blockWords: number;
}

export const fullSide = 2600;
/** Sides of the part of a page that a probe reads, along and across the lines of text, in pixels. */
export const probeSides = { along: 640, across: 200 } as const;

const automaticLayout = 3;
const oneBlock = 6;
const goodConfidence = 75;
const goodCharacters = 80;
const goodProbeCharacters = 20;
/** Turned pages read with 35 at most, upright ones with more, but for the worst print. */
const uprightConfidence = 45;
/** Lead of a turned probe over the upright page. */
const clearLead = 10;
/** A layout that finds so many more words has read parts that the other took for pictures. */
const moreWords = 1.25;
const someWords = 3;
/** A page on which both layouts find fewer words may have no common threshold. */
const fewWords = 8;

/** Combines confidence and length: confidence alone would prefer a few certain words to a whole page. */
function score(result: LadderResult): number {
  return result.confidence * result.characters;
}

/** Index of the result to keep; -1 without results. Never a small probe for the orientation. */
export function chosenResult(done: readonly LadderResult[]): number {
  let kept = -1;
  for (const [index, result] of done.entries()) {
    const rival = done[kept];
    if (!isProbe(result) && (rival === undefined || score(result) > score(rival))) kept = index;
  }
  return kept;
}

/** True if the page needs no second attempt, and so no signs. */
export function isGood(result: LadderResult): boolean {
  return result.confidence >= goodConfidence && result.characters >= goodCharacters;
}

/** The first attempt. `fixedMode`: the only one, with this mode. */
export function firstStep(fixedMode?: number): LadderStep {
  return full(fixedMode ?? automaticLayout, 0);
}

/** The attempt after `done`, which holds at least the first; null at the end. */
export function nextStep(done: readonly LadderResult[], signs: PageSigns): LadderStep | null {
  const [first, ...later] = done;
  if (first === undefined || isGood(first) || later.some((result) => !isProbe(result))) return null;
  const isUpright = first.confidence >= uprightConfidence;
  const hasFewWords = first.words < fewWords && signs.blockWords < fewWords;
  if (hasFewWords && (isUpright || first.words === 0)) return { ...full(automaticLayout, 0), localThreshold: true };
  if (!isUpright) {
    const probe = nextProbe(first, later, signs);
    if (probe !== undefined) return { pageSegmentationMode: oneBlock, rotation: probe, longestSide: probeSides.along };
    const turn = readableTurn(first, later);
    if (turn !== null) return full(automaticLayout, turn);
  }
  const missesWords = signs.lines !== 'down' && signs.blockWords >= moreWords * first.words + someWords;
  return missesWords ? full(oneBlock, 0) : null;
}

/** A page with few characters is probed upright, too: its confidence says little. */
function nextProbe(first: LadderResult, probes: readonly LadderResult[], { lines }: PageSigns): Rotation | undefined {
  if (probes.some(isTelling)) return undefined;
  const turns = { across: [180], down: [90, 270], unclear: [180, 90, 270] }[lines] as readonly Rotation[];
  const all: readonly Rotation[] = first.characters < goodCharacters ? [0, ...turns] : turns;
  return all[probes.length];
}

/** True for a probe that makes more of them superfluous. */
function isTelling({ rotation, confidence, characters }: LadderResult): boolean {
  return confidence >= (rotation === 0 ? uprightConfidence : goodConfidence) && characters >= goodProbeCharacters;
}

/** The turn that reads clearly better than the upright page, or null. */
function readableTurn(first: LadderResult, probes: readonly LadderResult[]): Rotation | null {
  const upright = probes.find(({ rotation }) => rotation === 0) ?? first;
  const turned = probes
    .filter(({ rotation, characters }) => rotation !== 0 && characters >= goodProbeCharacters)
    .toSorted((one, other) => other.confidence - one.confidence)[0];
  if (turned === undefined || turned.confidence < upright.confidence + clearLead) return null;
  return turned.rotation;
}

function full(pageSegmentationMode: number, rotation: Rotation): LadderStep {
  return { pageSegmentationMode, rotation, longestSide: fullSide };
}

/** True for a part of the page that was read only to find its orientation. */
export function isProbe(step: LadderStep): boolean {
  return step.longestSide === probeSides.along;
}
