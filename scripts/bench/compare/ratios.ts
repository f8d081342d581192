import { median } from '#scripts/bench/figures.ts';
import type { Line } from '#scripts/bench/row.ts';

/** The same lines of both trees, measured one after the other. */
export interface Round {
  readonly here: readonly Line[];
  readonly there: readonly Line[];
}

export type Judgment = 'better' | 'worse' | 'same';

export interface Comparison {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** Medians over the rounds. */
  readonly here: number;
  readonly there: number;
  /** Here by there, of each round. */
  readonly ratios: readonly number[];
  /** `same`, unless all rounds agree and their median is more than 5 % away from 1. */
  readonly judgment: Judgment;
}

/** Share by which a median must differ. */
const least = 0.05;

const risesWhenBetter = (unit: string): boolean => unit.endsWith('/s');

interface Value {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  readonly value: number;
}

/** The figure of a line, and its CPU where it has one. */
function valuesOf(lines: readonly Line[]): Map<string, Value> {
  const values = lines.flatMap(({ id, what, unit, ours, cpuMs }): Value[] => [
    ...(ours === null ? [] : [{ id, what, unit, value: ours.median }]),
    ...(cpuMs === undefined ? [] : [{ id, what: `${what}: CPU`, unit: 'ms', value: cpuMs }]),
  ]);
  return new Map(values.map((value) => [`${value.id} ${value.what}`, value]));
}

function judge(unit: string, ratios: readonly number[]): Judgment {
  const rises = ratios.every((ratio) => ratio > 1);
  const falls = ratios.every((ratio) => ratio < 1);
  if ((!rises && !falls) || Math.abs(median(ratios) - 1) <= least) return 'same';
  return rises === risesWhenBetter(unit) ? 'better' : 'worse';
}

/** Lines that both trees measured in every round. */
export function compareRounds(rounds: readonly Round[]): Comparison[] {
  const read = rounds.map(({ here, there }) => ({ here: valuesOf(here), there: valuesOf(there) }));
  return [...(read[0]?.here ?? [])].flatMap(([key, { id, what, unit }]): Comparison[] => {
    const pairs = read.flatMap(({ here, there }) => {
      const [mine, other] = [here.get(key)?.value, there.get(key)?.value];
      return mine === undefined || other === undefined ? [] : [{ mine, other }];
    });
    if (pairs.length < rounds.length) return [];
    const ratios = pairs.map(({ mine, other }) => (mine === other ? 1 : mine / other));
    return [
      {
        id,
        what,
        unit,
        here: median(pairs.map(({ mine }) => mine)),
        there: median(pairs.map(({ other }) => other)),
        ratios,
        judgment: judge(unit, ratios),
      },
    ];
  });
}

/** Failures of rows, which are in no comparison. */
export function failuresOf(rounds: readonly Round[]): string[] {
  const notes = rounds.flatMap(({ here, there }) =>
    [...here.map((line) => ({ ...line, at: 'here' })), ...there.map((line) => ({ ...line, at: 'there' }))].flatMap(
      ({ id, ours, note = '', at }) => (ours === null ? [`${id} was not measured ${at}: ${note.split('\n')[0]}`] : []),
    ),
  );
  return [...new Set(notes)];
}
