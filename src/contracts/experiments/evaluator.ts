import { z } from 'zod';

/** Bounds of evaluators. Source: docs/decisions/0093. */
export const evaluatorLimits = {
  /** Characters of a text that are compared; longer texts are cut. */
  textCharacters: 40_000,
  patternCharacters: 500,
  rubricCharacters: 4_000,
} as const;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'use lower-case letters, digits and _, a letter first')
  .optional()
  .describe('Name of the metric, unique in an experiment; default: the type');
const outputOf = (byDefault: string) =>
  z
    .string()
    .min(1)
    .max(64)
    .default(byDefault)
    .describe('Output of the workflow to judge; text is all recognized text unless an output has this name');
const path = z
  .string()
  .regex(/^[^.]{1,64}(\.[^.]{1,64}){0,7}$/, 'use names joined by dots, such as classification.label')
  .optional()
  .describe('Member of the output to judge, names joined by dots');

const judged = (byDefault: string) => ({ name, output: outputOf(byDefault), path });
const folding = {
  ignoreCase: z.boolean().default(false).describe('true: upper and lower case are the same'),
  foldWhitespace: z
    .boolean()
    .default(true)
    .describe('true: any run of white space counts as one space, none at the ends'),
};
const text = { ...judged('text'), ...folding };

/** One metric of an experiment, named by `type`. Source: docs/decisions/0093. */
export const EvaluatorSpec = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('cer'), ...text })
      .describe('Character error rate: edits for each character of the reference text; may exceed 1. Lower is better'),
    z
      .strictObject({ type: z.literal('wer'), ...text })
      .describe('Word error rate: edits of words for each word of the reference text; may exceed 1. Lower is better'),
    z
      .strictObject({ type: z.literal('levenshtein'), ...text })
      .describe('Number of characters to insert, delete or replace to get the reference text. Lower is better'),
    z.strictObject({ type: z.literal('exact'), ...text }).describe('1 if the text equals the reference text, else 0'),
    z
      .strictObject({
        type: z.literal('contains'),
        ...text,
        texts: z
          .array(z.string().max(500).regex(/\S/, 'use a text that is not only white space'))
          .min(1)
          .max(50)
          .optional()
          .describe('Texts to find; default: the reference text as a whole'),
      })
      .describe('Share of the texts that the output contains'),
    z
      .strictObject({
        type: z.literal('regex'),
        ...judged('text'),
        pattern: z
          .string()
          .min(1)
          .max(evaluatorLimits.patternCharacters)
          .describe('RE2 syntax: no lookaround, no backreference'),
        flags: z
          .string()
          .regex(/^[ims]{0,3}$/, 'use i, m and s')
          .default('')
          .describe('i: ignore case; m: ^ and $ match at lines; s: . matches line breaks'),
        expect: z.enum(['match', 'no_match']).default('match'),
      })
      .describe('1 if the pattern matches anywhere in the text, else 0'),
    z
      .strictObject({
        type: z.literal('json_schema'),
        ...judged('fields'),
        schema: z.record(z.string().max(100), z.unknown()).describe('JSON Schema, bounded like those of answers'),
      })
      .describe('1 if the output fits the schema, else 0'),
    z
      .strictObject({
        type: z.literal('field_match'),
        ...judged('fields'),
        fields: z
          .array(z.string().min(1).max(100))
          .min(1)
          .max(100)
          .optional()
          .describe('Fields to judge; default: those of the reference'),
        tolerance: z.number().min(0).max(1e9).default(0).describe('Largest difference of numbers that count as equal'),
        ignoreCase: z.boolean().default(true).describe('true: upper and lower case of texts are the same'),
        extra: z
          .enum(['ignore', 'count'])
          .default('ignore')
          .describe('count: a field that the reference does not name counts as invented'),
      })
      .describe('F1 of the fields: harmonic mean of precision and recall'),
    z
      .strictObject({
        type: z.literal('label_accuracy'),
        ...judged('label'),
        ignoreCase: z.boolean().default(true),
      })
      .describe('1 if the label is that of the reference, else 0'),
    z
      .strictObject({
        type: z.literal('iou'),
        ...judged('regions'),
        threshold: z.number().min(0.05).max(1).default(0.5).describe('Least overlap (IoU) of matching regions'),
        ignoreLabels: z.boolean().default(false).describe('true: regions match whatever their labels'),
      })
      .describe('F1 of the regions that overlap one of the reference on its page, with its label'),
    z
      .strictObject({ type: z.literal('ocr_confidence'), name })
      .describe('Mean confidence of recognized words, 0 to 100. Higher is not proof of right text'),
    z.strictObject({ type: z.literal('latency'), name }).describe('Milliseconds of all steps. Lower is better'),
    z.strictObject({ type: z.literal('cost'), name }).describe('US dollars that providers reported. Lower is better'),
    z
      .strictObject({
        type: z.literal('llm_judge'),
        ...judged('text'),
        rubric: z.string().trim().min(1).max(evaluatorLimits.rubricCharacters).describe('Rules of the score'),
        scale: z
          .strictObject({ min: z.int().min(0).max(99), max: z.int().min(1).max(100) })
          .refine(({ min, max }) => min < max, 'min must be less than max')
          .default({ min: 1, max: 5 })
          .describe('Whole numbers that the model chooses from; max is best'),
        mode: z
          .enum(['score', 'pairwise'])
          .default('score')
          .describe('pairwise: the model compares with the reference, in both orders; the mean counts'),
        model: z.string().min(1).max(200).optional().describe('Default: the configured model'),
      })
      .describe('Score of a language model by a rubric'),
    z
      .strictObject({
        type: z.literal('code'),
        name,
        evaluator: z.string().min(1).max(40).describe('Name of an evaluator in code'),
      })
      .describe('Evaluator written in code'),
  ])
  .meta({ id: 'EvaluatorSpec' });
export type EvaluatorSpec = z.output<typeof EvaluatorSpec>;
export type EvaluatorType = EvaluatorSpec['type'];
export type SpecOf<Type extends EvaluatorType> = Extract<EvaluatorSpec, { type: Type }>;
