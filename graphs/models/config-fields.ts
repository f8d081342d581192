import { z } from 'zod';
import { ChannelName } from '#src/contracts/resources/graph.ts';
import { schemaProblems } from '#graphs/models/answer-schema.ts';

/** Fields that the configs of nodes with a model share. */
export const modelField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Model of the configured server; without it, what CHAT_MODEL says');

const temperatureField = z
  .number()
  .min(0)
  .max(2)
  .optional()
  .describe('0 answers alike, higher more freely; without it, what the server takes');

export const outputTokensField = z
  .int()
  .min(1)
  .max(32_768)
  .default(2_048)
  .describe('Longest answer in tokens; one that would be longer fails');

const systemField = z
  .string()
  .max(20_000)
  .optional()
  .describe('Instructions to the model, taken literally: no placeholders, nothing out of documents');

const promptField = z
  .string()
  .min(1)
  .max(20_000)
  .describe('What to do, with {{ expression }} for values, which the model sees as delimited data');

export const sourceField = z
  .enum(['ocr', 'description', 'none'])
  .default('ocr')
  .describe('What the model is shown of the document: its recognized text, its description, or nothing');

export const textLimitField = z
  .int()
  .min(0)
  .max(200_000)
  .default(20_000)
  .describe('Text of the document beyond this many characters is left out');

export const engineField = (local: 'rules' | 'local') =>
  z
    .enum(['auto', 'model', local])
    .default('auto')
    .describe(`model asks the configured model, ${local} works without one, auto takes the model where there is one`);

export const outputField = (channel: string) => ChannelName.default(channel).describe('Channel the result goes to');

/** JSON Schema of the answer. */
const schemaField = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    for (const message of schemaProblems(schema)) context.addIssue({ code: 'custom', message });
  })
  .optional()
  .describe('JSON Schema of the answer, an object at its root; without it, the answer is text');

/** The config of a node that asks what its author wrote. */
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

/** The channel that a config, valid or not, writes to. */
export function outputOf(config: Readonly<Record<string, unknown>>, standard: string): string[] {
  return [typeof config['output'] === 'string' ? config['output'] : standard];
}
