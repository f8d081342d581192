import { own } from '#src/contracts/own.ts';
import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import {
  failure,
  noted,
  outputOf,
  unjudged,
  type Observation,
  type PureEvaluator,
  type Score,
} from '#src/domain/experiments/evaluators/evaluator.ts';
import { plainValue, sameValue } from '#src/domain/experiments/evaluators/same-value.ts';

type Fields = Readonly<Record<string, unknown>>;
type Outcome = 'right' | 'wrong' | 'missing' | 'invented' | 'absent';

const namedFields = 10;
/** Members that an extraction puts beside its fields. */
const facts = new Set(['missing', 'modelLabel', 'ocrResultId']);

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fieldsIn(observation: Observation, spec: SpecOf<'field_match'>): { fields: Fields; note: string | null } {
  const failed = failure(observation);
  if (failed !== null) return { fields: {}, note: failed };
  const found = outputOf(observation, spec, 'fields');
  return isFields(found)
    ? { fields: found, note: null }
    : { fields: {}, note: `The run has no fields in output "${spec.output}".` };
}

function judgedNames(spec: SpecOf<'field_match'>, wanted: Fields, found: Fields): string[] {
  const named = Object.keys(wanted).filter((name) => spec.fields?.includes(name) !== false);
  if (spec.extra === 'ignore') return named;
  const others = Object.keys(found).filter((name) => !facts.has(name) && !Object.hasOwn(wanted, name));
  return [...named, ...others.filter((name) => spec.fields?.includes(name) !== false)];
}

function outcomeOf(name: string, wanted: Fields, found: Fields, spec: SpecOf<'field_match'>): Outcome {
  const [right, got] = [plainValue(own(wanted, name)), plainValue(own(found, name))];
  if (right === null) return got === null ? 'absent' : 'invented';
  if (got === null) return 'missing';
  return sameValue(right, got, spec) ? 'right' : 'wrong';
}

/** Harmonic mean of precision and recall; 1 if there is nothing to find and nothing was found. */
export function f1(right: number, found: number, wanted: number): number {
  return found + wanted === 0 ? 1 : (2 * right) / (found + wanted);
}

/**
 * Compares fields by name. Precision: share of the found values that are right. Recall: share of the values of the reference that were
 * found right. A wrong value counts against both, a missing one against recall, an invented one (the reference says null) against
 * precision. A run that failed has 0.
 */
export function fieldMatchEvaluator(spec: SpecOf<'field_match'>): PureEvaluator {
  const score = (fields: Fields, wanted: Fields): Score => {
    const outcomes = judgedNames(spec, wanted, fields).map((name) => ({
      name,
      outcome: outcomeOf(name, wanted, fields, spec),
    }));
    const count = (...kinds: readonly Outcome[]): number =>
      outcomes.filter(({ outcome }) => kinds.includes(outcome)).length;
    const value = f1(count('right'), count('right', 'wrong', 'invented'), count('right', 'wrong', 'missing'));
    const bad = outcomes.filter(({ outcome }) => outcome !== 'right' && outcome !== 'absent');
    const shown = bad.slice(0, namedFields).map(({ name, outcome }) => `${name} ${outcome}`);
    const more = bad.length > namedFields ? `, and ${bad.length - namedFields} more` : '';
    return noted({ value, quality: value }, [bad.length === 0 ? null : `Fields: ${shown.join(', ')}${more}.`]);
  };
  return {
    unit: 'F1',
    better: 'higher',
    range: [0, 1],
    needs: 'fields',
    score: (observation, reference) => {
      const wanted = reference?.fields;
      if (wanted === undefined) return unjudged('The reference has no fields.');
      if (spec.fields?.some((name) => Object.hasOwn(wanted, name)) === false)
        return unjudged('The reference has none of these fields.');
      const { fields, note } = fieldsIn(observation, spec);
      return note === null ? score(fields, wanted) : { value: 0, quality: 0, note };
    },
  };
}

/** 1 if the label is that of the reference, over NFKC and without white space at the ends; else 0. */
export function labelEvaluator(spec: SpecOf<'label_accuracy'>): PureEvaluator {
  const folded = (label: string): string => {
    const text = label.normalize('NFKC').trim();
    return spec.ignoreCase ? text.toLowerCase() : text;
  };
  return {
    unit: 'share of right labels',
    better: 'higher',
    range: [0, 1],
    needs: 'label',
    score: (observation, reference) => {
      if (reference?.label === undefined) return unjudged('The reference has no label.');
      const failed = failure(observation);
      if (failed !== null) return { value: 0, quality: 0, note: failed };
      const label = outputOf(observation, spec, 'label');
      if (typeof label !== 'string')
        return { value: 0, quality: 0, note: `The run has no label in output "${spec.output}".` };
      const value = Number(folded(label) === folded(reference.label));
      return noted({ value, quality: value }, [
        value === 1 ? null : `Found ${JSON.stringify(label.slice(0, 100).toWellFormed())}.`,
      ]);
    },
  };
}
