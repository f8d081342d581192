import { describe, expect, test } from 'vitest';
import { chosenResult, nextStep, type LadderResult, type LadderStep } from '#src/domain/documents/ocr-ladder.ts';

type Reading = (step: LadderStep) => { confidence: number; characters: number };

/** Climbs the whole ladder on a page that reads as `reading` says. */
function climb(reading: Reading, fixedMode?: number): { steps: string[]; kept: string } {
  const done: LadderResult[] = [];
  for (let step = nextStep(done, fixedMode); step !== null; step = nextStep(done, fixedMode)) {
    done.push({ ...step, ...reading(step) });
  }
  const names = done.map((step) => `${step.pageSegmentationMode}@${step.rotation}/${step.longestSide}`);
  return { steps: names, kept: names[chosenResult(done)] ?? 'none' };
}

const upright = ['3@0/2600', '6@0/2600'];
const probes = ['3@90/800', '3@180/800', '3@270/800'];

describe('the ladder', () => {
  test('a page that reads well is recognized once, with automatic layout', () => {
    expect(climb(() => ({ confidence: 75, characters: 80 }))).toEqual({ steps: ['3@0/2600'], kept: '3@0/2600' });
  });

  test.each([
    { confidence: 74.9, characters: 500 },
    { confidence: 96, characters: 79 },
  ])('one that reads with %o is also read as one block, and no further', (first) => {
    expect(climb(() => first)).toEqual({ steps: upright, kept: '3@0/2600' });
  });

  test('keeps the larger product of confidence and characters, not the larger confidence', () => {
    const reading: Reading = ({ pageSegmentationMode }) =>
      pageSegmentationMode === 3 ? { confidence: 90, characters: 12 } : { confidence: 70, characters: 300 };
    expect(climb(reading).kept).toBe('6@0/2600');
  });

  test('a page upside down is found by small probes and read once in full', () => {
    const reading: Reading = ({ rotation }) => ({ confidence: rotation === 180 ? 90 : 20, characters: 400 });
    expect(climb(reading)).toEqual({ steps: [...upright, '3@90/800', '3@180/800', '3@180/2600'], kept: '3@180/2600' });
  });

  test('the best of three weak probes is read in full', () => {
    const reading: Reading = ({ rotation, longestSide }) => ({
      confidence: rotation === 270 ? (longestSide === 800 ? 55 : 90) : 20,
      characters: 400,
    });
    expect(climb(reading)).toEqual({ steps: [...upright, ...probes, '3@270/2600'], kept: '3@270/2600' });
  });

  test('a probe is never kept, even when the full run that it led to reads worse', () => {
    const reading: Reading = ({ rotation, longestSide }) => ({
      confidence: rotation === 90 && longestSide === 800 ? 90 : 20,
      characters: 400,
    });
    expect(climb(reading)).toEqual({ steps: [...upright, '3@90/800', '3@90/2600'], kept: '3@0/2600' });
  });

  test('a page without text ends after the probes', () => {
    expect(climb(() => ({ confidence: 0, characters: 0 }))).toEqual({
      steps: [...upright, ...probes],
      kept: '3@0/2600',
    });
  });

  test('an asked-for mode is the only run, however it reads', () => {
    expect(climb(() => ({ confidence: 1, characters: 1 }), 11)).toEqual({ steps: ['11@0/2600'], kept: '11@0/2600' });
  });

  test('nothing is kept before anything was done', () => {
    expect(chosenResult([])).toBe(-1);
  });
});
