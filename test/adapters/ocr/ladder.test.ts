import { describe, expect, test } from 'vitest';
import {
  chosenResult,
  firstStep,
  nextStep,
  type LadderResult,
  type LadderStep,
  type PageSigns,
} from '#src/domain/documents/ocr-ladder.ts';

type Outcome = { confidence: number; characters: number; words?: number };
type Reading = (step: LadderStep) => Outcome;

/** Climbs the whole ladder on a page that reads as `reading` says. Words are five characters, and the block layout finds no more of them. */
function climb(reading: Reading, signs: Partial<PageSigns> = {}): { steps: string[]; kept: string } {
  const done: LadderResult[] = [];
  const perform = (step: LadderStep): void => {
    const { words, ...outcome } = reading(step);
    done.push({ ...step, ...outcome, words: words ?? Math.round(outcome.characters / 5) });
  };
  perform(firstStep());
  const known: PageSigns = { lines: 'unclear', blockWords: done[0]?.words ?? 0, ...signs };
  for (let step = nextStep(done, known); step !== null; step = nextStep(done, known)) perform(step);
  const names = done.map(
    (step) =>
      `${step.pageSegmentationMode}@${step.rotation}/${step.longestSide}${step.localThreshold === true ? ' local' : ''}`,
  );
  return { steps: names, kept: names[chosenResult(done)] ?? 'none' };
}

const upright = '3@0/2600';
const block = '6@0/2600';

describe('the ladder', () => {
  test('a page that reads well is recognized once, with automatic layout', () => {
    expect(climb(() => ({ confidence: 75, characters: 80 }), { blockWords: 900 })).toEqual({
      steps: [upright],
      kept: upright,
    });
  });

  test.each([
    { confidence: 74.9, characters: 500 },
    { confidence: 96, characters: 79 },
    { confidence: 45, characters: 500 },
  ])('one that reads with %o is recognized once, if one block would hold no more words', (first) => {
    expect(climb(() => first)).toEqual({ steps: [upright], kept: upright });
  });

  test('a weak page of which one block would hold many more words is read as one block', () => {
    const reading: Reading = ({ pageSegmentationMode }) =>
      pageSegmentationMode === 3 ? { confidence: 90, characters: 60 } : { confidence: 70, characters: 300 };
    expect(climb(reading, { blockWords: 60 })).toEqual({ steps: [upright, block], kept: block });
  });

  test('keeps the larger product of confidence and characters, not the larger confidence', () => {
    const reading: Reading = ({ pageSegmentationMode }) =>
      pageSegmentationMode === 3 ? { confidence: 66, characters: 300 } : { confidence: 70, characters: 200 };
    expect(climb(reading, { blockWords: 100 }).kept).toBe(upright);
  });

  test('a page whose lines run across is probed upside down only', () => {
    const reading: Reading = ({ rotation }) => ({ confidence: rotation === 180 ? 90 : 20, characters: 400 });
    expect(climb(reading, { lines: 'across' })).toEqual({
      steps: [upright, '6@180/640', '3@180/2600'],
      kept: '3@180/2600',
    });
  });

  test('one whose lines run down is probed on its sides only, until a probe reads well', () => {
    const reading: Reading = ({ rotation }) => ({ confidence: rotation === 90 ? 90 : 20, characters: 400 });
    expect(climb(reading, { lines: 'down' }).steps).toEqual([upright, '6@90/640', '3@90/2600']);
  });

  test('the best of three weak probes is read in full, if it leads clearly', () => {
    const at =
      (turned: number): Reading =>
      ({ rotation }) => ({ confidence: rotation === 270 ? turned : 20, characters: 400 });
    const probes = ['6@180/640', '6@90/640', '6@270/640'];
    expect(climb(at(55))).toEqual({ steps: [upright, ...probes, '3@270/2600'], kept: '3@270/2600' });
    expect(climb(at(29))).toEqual({ steps: [upright, ...probes], kept: upright });
  });

  test('a page with few characters is probed upright first, and no further when that reads', () => {
    const reading: Reading = ({ longestSide }) =>
      longestSide === 640 ? { confidence: 45, characters: 40 } : { confidence: 30, characters: 40 };
    expect(climb(reading, { blockWords: 100 }).steps).toEqual([upright, '6@0/640', block]);
  });

  test('a turned probe must lead over the upright probe', () => {
    const reading: Reading = ({ longestSide, rotation }) =>
      longestSide === 640 ? { confidence: rotation === 0 ? 40 : 49, characters: 90 } : { confidence: 0, characters: 0 };
    expect(climb(reading, { blockWords: 100, lines: 'across' }).steps).toEqual([
      upright,
      '6@0/640',
      '6@180/640',
      block,
    ]);
  });

  test('a probe is never kept, even when the full run that it led to reads worse', () => {
    const reading: Reading = ({ rotation, longestSide }) => ({
      confidence: rotation === 90 && longestSide === 640 ? 90 : 20,
      characters: 400 - rotation,
    });
    expect(climb(reading, { lines: 'down' })).toEqual({ steps: [upright, '6@90/640', '3@90/2600'], kept: upright });
  });

  test('a page of few words that is read upright is tried with a threshold for each part; a turned one is probed', () => {
    expect(climb(() => ({ confidence: 87, characters: 27 })).steps).toEqual([upright, `${upright} local`]);
    expect(climb(() => ({ confidence: 20, characters: 27 }), { lines: 'across' }).steps).toEqual([
      upright,
      '6@0/640',
      '6@180/640',
    ]);
  });

  test('words of a block do not count where the lines run down', () => {
    expect(climb(() => ({ confidence: 70, characters: 400 }), { lines: 'down', blockWords: 300 }).steps).toEqual([
      upright,
    ]);
  });

  test('a page in which both layouts find nothing is tried with a threshold for each part, and no further', () => {
    const steps = [upright, `${upright} local`];
    expect(climb(() => ({ confidence: 0, characters: 0 }))).toEqual({ steps, kept: upright });
    const reading: Reading = ({ localThreshold }) =>
      localThreshold === true ? { confidence: 64, characters: 484 } : { confidence: 0, characters: 0 };
    expect(climb(reading)).toEqual({ steps, kept: steps[1] });
  });

  test('an asked-for mode is the first step', () => {
    expect(firstStep(11)).toEqual({ pageSegmentationMode: 11, rotation: 0, longestSide: 2600 });
  });

  test('nothing is kept, and nothing comes next, before anything was done', () => {
    expect(chosenResult([])).toBe(-1);
    expect(nextStep([], { lines: 'unclear', blockWords: 0 })).toBeNull();
  });
});
