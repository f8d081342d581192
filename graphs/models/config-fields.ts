import { z } from 'zod';
import { ChannelName } from '#src/contracts/resources/graph.ts';
import type { JsonSchema } from '#graphs/typing/json-schema.ts';
import { schemaProblems } from '#graphs/models/answer-schema.ts';

/** Config fields that nodes with a model share. */
export const modelField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Model name on the configured server; default: CHAT_MODEL');

const temperatureField = z
  .number()
  .min(0)
  .max(2)
  .optional()
  .describe('Sampling temperature: 0 is most deterministic; default: that of the server');

export const outputTokensField = z
  .int()
  .min(1)
  .max(32_768)
  .default(2_048)
  .describe('Longest answer in tokens; a longer answer fails the node');

const systemField = z
  .string()
  .max(20_000)
  .optional()
  .describe('Constant instructions to the model, without placeholders');

const promptField = z
  .string()
  .min(1)
  .max(20_000)
  .describe('Task for the model; {{ expression }} inserts a value as delimited data');

export const sourceField = z
  .enum(['ocr', 'description', 'none'])
  .default('ocr')
  .describe('Part of the document to show to the model: recognized text, description, or none');

export const textLimitField = z
  .int()
  .min(0)
  .max(200_000)
  .default(20_000)
  .describe('Longest document text to send, in characters; the rest is cut');

export const engineField = (local: 'rules' | 'local') =>
  z
    .enum(['auto', 'model', local])
    .default('auto')
    .describe(`model: the configured model; ${local}: without a model; auto: the model if one is configured`);

export const outputField = (channel: string) => ChannelName.default(channel).describe('Channel to write the result to');

const schemaField = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    for (const message of schemaProblems(schema)) context.addIssue({ code: 'custom', message });
  })
  .optional()
  .describe('JSON Schema of the answer, with an object at its root; default: the answer is text');

/** Config fields of nodes with a prompt. */
export const promptFields = {
  prompt: promptField,
  system: systemField,
  source: sourceField,
  maxTextCharacters: textLimitField,
  schema: schemaField,
  model: modelField,
  temperature: temperatureField,
  maxOutputTokens: outputTokensField,
  output: outputField('answer'),
};

/** Output channel of a config, which can be invalid. */
export function outputOf(config: Readonly<Record<string, unknown>>, standard: string): string[] {
  return [typeof config['output'] === 'string' ? config['output'] : standard];
}

/** Schema of an answer by its channel: that of the config, or a text. */
export function answerOf(config: Readonly<Record<string, unknown>>): Record<string, JsonSchema> {
  const { schema } = config;
  const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  const known: JsonSchema = schema === undefined ? { type: 'string' } : isObject ? { ...schema } : {};
  return Object.fromEntries(outputOf(config, 'answer').map((channel) => [channel, known]));
}
