import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import {
  bounded,
  editsBetween,
  errorRate,
  folded,
  graphemesOf,
  wordsOf,
} from '#src/domain/experiments/evaluators/error-rate.ts';
import {
  failure,
  noted,
  outputOf,
  textOf,
  unjudged,
  type Observation,
  type PureEvaluator,
  type Score,
} from '#src/domain/experiments/evaluators/evaluator.ts';

type TextSpec = SpecOf<'cer' | 'contains' | 'exact' | 'levenshtein' | 'wer'>;

interface Output {
  /** Empty for a run that failed or has no such text. */
  readonly text: string;
  readonly note: string | null;
}

/** Text of an output, as it is. A run that failed has none. */
export function outputText(
  observation: Observation,
  spec: { readonly output: string; readonly path?: string | undefined },
): Output {
  const failed = failure(observation);
  if (failed !== null) return { text: '', note: failed };
  const text = textOf(outputOf(observation, spec, 'text'));
  const where = spec.path === undefined ? spec.output : `${spec.output}.${spec.path}`;
  return text === null ? { text: '', note: `The run has no text in output "${where}".` } : { text, note: null };
}

/** Folded, bounded texts of the reference and of the run; null without a reference text. */
function compared(spec: TextSpec, observation: Observation, reference: Reference | null) {
  if (reference?.text === undefined) return null;
  const output = outputText(observation, spec);
  const [wanted, got] = [bounded(folded(reference.text, spec)), bounded(folded(output.text, spec))];
  return {
    wanted: wanted.text,
    got: got.text,
    failed: failure(observation) !== null,
    notes: [output.note, wanted.note ?? got.note],
  };
}

type Compared = NonNullable<ReturnType<typeof compared>>;

/**
 * An evaluator of the reference text. A run that failed gets `worst`, and no better than that: a document without text must not reward a
 * failure.
 */
function againstText(
  spec: TextSpec,
  judge: (texts: Compared) => Score,
  worst: (texts: Compared) => number,
): PureEvaluator['score'] {
  return (observation, reference) => {
    const texts = compared(spec, observation, reference);
    if (texts === null) return unjudged('The reference has no text.');
    return noted(texts.failed ? { value: worst(texts), quality: 0 } : judge(texts), texts.notes);
  };
}

/**
 * Character (grapheme cluster) or word error rate over NFKC. `quality` is max(0, 1 - value). A run that failed has 1: every character was
 * lost.
 */
export function errorRateEvaluator(spec: SpecOf<'cer' | 'wer'>): PureEvaluator {
  const itemsOf = spec.type === 'cer' ? graphemesOf : wordsOf;
  const judge = ({ wanted, got }: Compared): Score => {
    const value = errorRate(itemsOf(wanted), itemsOf(got));
    return { value, quality: Math.max(0, 1 - value) };
  };
  const unit = spec.type === 'cer' ? 'edits per character' : 'edits per word';
  return { unit, better: 'lower', range: [0, null], needs: 'text', score: againstText(spec, judge, () => 1) };
}

/** Number of edits of grapheme clusters. `quality` is 1 - edits / length of the longer text, and 1 for two empty texts. */
export function levenshteinEvaluator(spec: SpecOf<'levenshtein'>): PureEvaluator {
  const judge = ({ wanted, got }: Compared): Score => {
    const [from, to] = [graphemesOf(wanted), graphemesOf(got)];
    const value = editsBetween(from, to);
    return { value, quality: 1 - value / Math.max(1, from.length, to.length) };
  };
  const worst = ({ wanted }: Compared): number => graphemesOf(wanted).length;
  return { unit: 'edits', better: 'lower', range: [0, null], needs: 'text', score: againstText(spec, judge, worst) };
}

const passed = (value: boolean): Score => ({ value: Number(value), quality: Number(value) });

/** 1 if the whole texts are equal after folding, however long they are; else 0. */
export function exactEvaluator(spec: SpecOf<'exact'>): PureEvaluator {
  return {
    unit: 'equal',
    better: 'higher',
    range: [0, 1],
    needs: 'text',
    score: (observation, reference) => {
      if (reference?.text === undefined) return unjudged('The reference has no text.');
      const { text, note } = outputText(observation, spec);
      const equal = note === null && folded(text, spec) === folded(reference.text, spec);
      return noted(passed(equal), [note]);
    },
  };
}

const namedTexts = 5;
const shownText = 60;

/** Share of the wanted texts that occur in the whole output, each counted once. Without `texts`, the reference text is the only one. */
export function containsEvaluator(spec: SpecOf<'contains'>): PureEvaluator {
  return {
    unit: 'share of texts',
    better: 'higher',
    range: [0, 1],
    needs: spec.texts === undefined ? 'text' : null,
    score: (observation, reference) => {
      const texts = spec.texts ?? (reference?.text === undefined ? null : [reference.text]);
      if (texts === null || texts.every((one) => folded(one, spec) === ''))
        return unjudged('The reference has no text.');
      const { text, note } = outputText(observation, spec);
      const whole = folded(text, spec);
      const missing = note === null ? texts.filter((one) => !whole.includes(folded(one, spec))) : texts;
      const value = (texts.length - missing.length) / texts.length;
      const shown = missing.slice(0, namedTexts).map((one) => JSON.stringify(one.slice(0, shownText).toWellFormed()));
      return noted({ value, quality: value }, [note ?? (shown.length === 0 ? null : `Missing: ${shown.join(', ')}.`)]);
    },
  };
}
