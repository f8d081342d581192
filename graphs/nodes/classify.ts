import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import { quoteFinder } from '#src/domain/extract-locally/locate-quote.ts';
import { defineNode, type NodeCall } from '#graphs/define.ts';
import { askForJson, schemaRule } from '#graphs/models/ask-for-json.ts';
import { classifyByRules, rulesLabel } from '#graphs/models/classify-by-rules.ts';
import {
  engineField,
  modelField,
  outputField,
  outputOf,
  sourceField,
  textLimitField,
} from '#graphs/models/config-fields.ts';
import { documentText, sourceOf } from '#graphs/models/document-text.ts';
import { shownDocument, systemMessage } from '#graphs/models/prompt.ts';
import { modelLabelOf, requestOptions, usesModel } from '#graphs/models/request.ts';
import { rulesUsage } from '#graphs/models/usage.ts';

const unknownLabel = 'unknown';

const Params = z.strictObject({
  labels: z
    .array(
      z.strictObject({
        label: z.string().trim().min(1).max(100).describe('Name of the class'),
        description: z.string().max(1_000).optional().describe('Description of the class, for the model'),
        keywords: z
          .array(z.string().trim().min(1).max(100))
          .max(100)
          .optional()
          .describe('Words that indicate the class, for the rules; default: the label'),
      }),
    )
    .min(2)
    .max(50)
    .refine((labels) => new Set(labels.map(({ label }) => label)).size === labels.length, 'labels must be unique')
    .describe('The classes to choose from'),
  engine: engineField('rules'),
  allowUnknown: z
    .boolean()
    .default(true)
    .describe('true: the answer can be "unknown"; false: rules that match nothing fail the node'),
  source: sourceField,
  maxTextCharacters: textLimitField,
  model: modelField,
  output: outputField('classification'),
});
type Params = z.output<typeof Params>;

/** Value of the channel. */
const Classification = z.object({
  label: z.string(),
  confidence: z.number().min(0).max(1),
  evidence: z.array(z.string()).describe('Passages or words of the text'),
  modelLabel: z.string(),
});
type Classification = z.output<typeof Classification>;

/** The classes that a config can lead to; any text if they are known only when the node runs. */
function labelOf({ labels, allowUnknown }: Readonly<Record<string, unknown>>): z.ZodType<string> {
  const parsed = Params.shape.labels.safeParse(labels);
  if (!parsed.success) return z.string();
  const names = parsed.data.map(({ label }) => label);
  return z.enum([...new Set(allowUnknown === false ? names : [...names, unknownLabel])]);
}

export const classify = defineNode({
  type: 'classify',
  version: 1,
  summary: 'Classify the document with one of the given labels, by a model or by keywords',
  params: Params,
  reads: [],
  writes: [],
  channels: (config) => ({ readsIfPresent: sourceOf(config), writes: outputOf(config, 'classification') }),
  outputs: (config) =>
    Object.fromEntries(
      outputOf(config, 'classification').map((channel) => [channel, Classification.extend({ label: labelOf(config) })]),
    ),
  literals: ['labels'],
  pure: true,
  dependsOn: (deps, params) => [usesModel(deps.chat, params) ? modelLabelOf(deps.chat, params) : rulesLabel],
  defaultTimeoutMs: 120_000,
  example: {
    labels: [
      { label: 'invoice', keywords: ['invoice', 'Rechnung'] },
      { label: 'letter', description: 'Personal or business letters', keywords: ['dear', 'sincerely'] },
    ],
  },
  async run(call) {
    const { deps, params } = call;
    const text = await documentText(call, params.source, params.maxTextCharacters);
    if (usesModel(deps.chat, params)) return byModel(call, text);
    const start = performance.now();
    const classification = byRules(text, params);
    return {
      update: { [params.output]: classification },
      usage: rulesUsage(start),
      modelLabel: rulesLabel,
    };
  },
});

function byRules(text: string, { labels, allowUnknown }: Params): Classification {
  const { label, confidence, evidence } = classifyByRules(text, labels);
  if (label === null && !allowUnknown)
    throw new AppError(
      'run.needs_input',
      'The text has no keyword of any label. Add keywords, set allowUnknown, or use a model.',
    );
  return { label: label ?? unknownLabel, confidence, evidence, modelLabel: rulesLabel };
}

async function byModel({ deps, params, signal }: NodeCall<Params>, text: string) {
  const names = params.labels.map(({ label }) => label);
  const choices = params.allowUnknown && !names.includes(unknownLabel) ? [...names, unknownLabel] : names;
  const Answer = z.object({
    label: z.enum(choices),
    confidence: z.number().min(0).max(1),
    evidence: z.array(z.string().max(500)).max(10),
  });
  const { $schema: _dialect, ...schema } = z.toJSONSchema(Answer);
  const described = params.labels.map(({ label, description }) => `- ${label}${description ? `: ${description}` : ''}`);
  const task =
    `Choose the one label that fits the document best, out of these and no others:\n${described.join('\n')}\n` +
    (params.allowUnknown ? `Choose "${unknownLabel}" when none fits.\n` : '') +
    `evidence: up to 5 short quotes, exactly as they stand in the text. confidence: 0 to 1.\n${schemaRule(schema)}`;
  const { value, usage } = await askForJson(deps.chat, {
    messages: [
      systemMessage(task),
      { role: 'user', text: `Classify this document.\n\n${shownDocument(deps.chat, text)}` },
    ],
    ...requestOptions(params),
    temperature: 0,
    maxOutputTokens: 1_000,
    signal,
    schema: { name: 'classification', schema },
    read(answer) {
      const parsed = Answer.safeParse(answer);
      return parsed.success
        ? { value: parsed.data }
        : { problems: parsed.error.issues.map((issue) => `/${issue.path.join('/')} ${issue.message}`) };
    },
  });
  const modelLabel = modelLabelOf(deps.chat, params);
  const find = quoteFinder(text);
  const evidence = value.evidence.flatMap((quote) => {
    const span = find(quote);
    return span === null ? [] : [text.slice(span.start, span.end)];
  });
  const classification: Classification = { label: value.label, confidence: value.confidence, evidence, modelLabel };
  return { update: { [params.output]: classification }, usage, modelLabel };
}
