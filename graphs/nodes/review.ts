import { z } from 'zod';
import { ChannelName, ExpressionText } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import { answerProblem, answerSchemaProblem } from '#src/domain/runs/answer.ts';
import { defineNode, type Question } from '#graphs/define.ts';
import { hasRefs } from '#graphs/expression/config.ts';
import type { JsonSchema } from '#graphs/typing/json-schema.ts';
import { filledTemplate } from '#graphs/expression/filled.ts';

const maxPrompt = 8_000;
/** Limit of one value that a list of inserted values shows, in characters. */
const maxInserted = 1_000;
const maxData = 16 * 1024;

const AnswerSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const problem = answerSchemaProblem(schema);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const channelOf = ({ output }: Readonly<Record<string, unknown>>): string =>
  typeof output === 'string' ? output : 'answer';

/** Schema of the answers that a config asks for; empty if it is known only when the node runs. */
function schemaOf(answer: unknown): JsonSchema {
  if (hasRefs(answer) || typeof answer !== 'object' || answer === null) return {};
  return Array.isArray(answer) ? { enum: answer } : { ...answer };
}

export const review = defineNode({
  type: 'review',
  version: 1,
  summary: 'Ask a person or an agent, and wait for the answer without a time limit',
  params: z.strictObject({
    prompt: z.string().min(1).max(maxPrompt).describe('The question, a template'),
    data: z
      .record(z.string().min(1).max(100), ExpressionText)
      .default({})
      .describe('Context of the question: names and the expressions whose values to show'),
    answer: z
      .union([z.array(z.string().min(1).max(200)).min(1).max(50), AnswerSchema])
      .default({})
      .describe(
        'Options of the answer, or a JSON Schema with type, enum, const, properties, required, additionalProperties, items and bounds',
      ),
    output: ChannelName.default('answer').describe('Channel to write the answer to'),
  }),
  reads: [],
  writes: [],
  channels: (config) => ({ writes: [channelOf(config)] }),
  outputs: (config) => ({ [channelOf(config)]: schemaOf(config['answer']) }),
  templates: ['prompt'],
  expressions: ['data'],
  pure: false,
  defaultTimeoutMs: 10_000,
  example: { prompt: 'Is the total of this receipt right?', answer: ['yes', 'no'] },
  async run({ params, state, answer, computing }) {
    const answerSchema = Array.isArray(params.answer) ? { enum: params.answer } : params.answer;
    if (answer !== undefined) {
      const problem = answerProblem({ answerSchema }, answer);
      if (problem !== null)
        throw new AppError('request.invalid', `The answer does not match the schema of the question: ${problem}.`);
      return { update: { [params.output]: answer } };
    }
    const filled = await filledTemplate(params.prompt, (text, asText) => computing.fill(text, state, asText));
    const prompt = filled.text.slice(0, maxPrompt).toWellFormed();
    const words = filled.words.toWellFormed();
    const inserted = filled.values.map((value) => value.slice(0, maxInserted).toWellFormed());
    const names = Object.keys(params.data);
    const values = await computing.evaluate(Object.values(params.data), state);
    const data: Record<string, unknown> = Object.fromEntries(names.map((name, at) => [name, values[at]]));
    if (Buffer.byteLength(JSON.stringify(data)) > maxData)
      throw new AppError('expression.failed', `"data" is larger than ${maxData / 1_024} KiB of JSON. Show less.`);
    const wait: Question = { prompt, words, inserted, ...(names.length > 0 && { data }), answerSchema };
    return { update: {}, wait };
  },
});
