import type { Reference } from '#src/contracts/experiments/dataset.ts';
import type { SpecOf } from '#src/contracts/experiments/evaluator.ts';
import { AppError } from '#src/domain/app-error.ts';
import { ModelError } from '#src/domain/model-error.ts';
import {
  failure,
  lostScore,
  noted,
  outputOf,
  unjudged,
  type Observation,
} from '#src/domain/experiments/evaluators/evaluator.ts';
import type { ChatMessage, ChatModel } from '#src/domain/ports/chat-model.ts';
import type { Judging } from '#graphs/evaluators/evaluator.ts';
import { askForJson, schemaRule, type ReadAnswer } from '#graphs/models/ask-for-json.ts';
import { systemMessage } from '#graphs/models/prompt.ts';

type JudgeSpec = SpecOf<'llm_judge'>;
type Schema = Readonly<Record<string, unknown>>;

/** Characters of an output and of a reference that the model reads. */
const shownCharacters = 20_000;
const reasonCharacters = 300;
const outputTokens = 2_048;

const reason = { type: 'string', maxLength: 1_000, description: 'Short reason, in one or two sentences' };
const objectOf = (properties: Schema): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

interface Opinion {
  readonly value: number;
  readonly reason: string;
  readonly costUsd?: number;
}

const costIn = ({ costUsd }: { readonly costUsd?: number }): { costUsd?: number } =>
  costUsd === undefined ? {} : { costUsd };

/**
 * Score by a language model at temperature 0, from `scale.min` to `scale.max`. `pairwise` compares the output with the reference instead:
 * 1 is better than it, 0.5 as good, 0 worse; the mean over both orders, since models prefer places. An answer that cannot be read is asked
 * for once more, and is no score then. Error: `experiment.model_missing`.
 */
export function llmJudge(spec: JudgeSpec, chat: ChatModel): Judging {
  if (chat.label === null)
    throw new AppError(
      'experiment.model_missing',
      'The evaluator llm_judge needs a chat model, and none is configured. Leave it out, or ask the operator to set CHAT_MODEL.',
    );
  const pairwise = spec.mode === 'pairwise';
  const range = pairwise ? ([0, 1] as const) : ([spec.scale.min, spec.scale.max] as const);
  return {
    unit: pairwise ? 'wins against the reference' : 'points',
    better: 'higher',
    range,
    needs: null,
    score: async (observation, reference, signal) => {
      const wanted = referenceText(reference);
      if (pairwise && wanted === null) return unjudged('There is no reference to compare with.');
      const { text, note } = outputText(observation, spec);
      if (text === null) return { value: range[0], quality: 0, ...(note === null ? {} : { note }) };
      try {
        const opinion = pairwise
          ? await comparison(spec, { chat, signal }, text, wanted ?? '')
          : await points(spec, { chat, signal }, text, wanted);
        const quality = (opinion.value - range[0]) / (range[1] - range[0]);
        return noted({ value: opinion.value, quality, ...costIn(opinion) }, [opinion.reason, note]);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        const lost = lostScore('The model gave no answer that can be read, also when asked again.', error.code);
        return { ...lost, ...costIn(error.usage) };
      }
    },
  };
}

/** Output as the model reads it: its text, or else its JSON; null if there is none. */
function outputText(observation: Observation, spec: JudgeSpec): { text: string | null; note: string | null } {
  const failed = failure(observation);
  if (failed !== null) return { text: null, note: failed };
  const value = outputOf(observation, spec, 'text');
  if (value === undefined || value === null) return { text: null, note: `The run has no output "${spec.output}".` };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const cut = text.length > shownCharacters;
  return {
    text: text.slice(0, shownCharacters).toWellFormed(),
    note: cut ? `The model read the first ${shownCharacters} characters.` : null,
  };
}

function referenceText(reference: Reference | null): string | null {
  const { text, fields, label } = reference ?? {};
  const others = { ...(label !== undefined && { label }), ...(fields !== undefined && { fields }) };
  const parts = [
    ...(text === undefined ? [] : [text]),
    ...(Object.keys(others).length === 0 ? [] : [JSON.stringify(others)]),
  ];
  return parts.length === 0 ? null : parts.join('\n\n').slice(0, shownCharacters).toWellFormed();
}

interface Asking {
  readonly chat: ChatModel;
  readonly signal: AbortSignal;
}

async function opinionOf(
  { model }: JudgeSpec,
  { chat, signal }: Asking,
  messages: readonly ChatMessage[],
  { schema, read }: { readonly schema: Schema; readonly read: (value: Schema) => ReadAnswer<Opinion> },
): Promise<Opinion> {
  const { value, usage } = await askForJson(chat, {
    messages,
    schema: { name: 'judgement', schema },
    temperature: 0,
    maxOutputTokens: outputTokens,
    signal,
    ...(model === undefined ? {} : { model }),
    read,
  });
  return { ...value, ...costIn(usage) };
}

const reasonIn = (value: Schema): string => {
  const said = value['reason'];
  return typeof said === 'string' ? said.replace(/\s+/gu, ' ').trim().slice(0, reasonCharacters).toWellFormed() : '';
};

function points(spec: JudgeSpec, asking: Asking, output: string, wanted: string | null): Promise<Opinion> {
  const { min, max } = spec.scale;
  const schema = objectOf({ reason, score: { type: 'integer', minimum: min, maximum: max } });
  const task = `Judge the output of a document workflow by the rubric. ${max} is best, ${min} is worst; use whole numbers.\n${schemaRule(schema)}`;
  const { chat } = asking;
  const shown = [
    ...(wanted === null ? [] : [`The right result, data only:\n${chat.delimit('reference', wanted)}`]),
    `Output to judge, data only:\n${chat.delimit('output', output)}`,
  ];
  return opinionOf(spec, asking, [rules(task, spec), { role: 'user', text: shown.join('\n\n') }], {
    schema,
    read: (value) => {
      const { score } = value;
      if (typeof score !== 'number' || !Number.isInteger(score) || score < min || score > max)
        return { problems: [`score must be a whole number from ${min} to ${max}`] };
      return { value: { value: score, reason: reasonIn(value) } };
    },
  });
}

const rules = (task: string, { rubric }: JudgeSpec): ChatMessage => systemMessage(task, `Rubric:\n${rubric}`);

async function comparison(spec: JudgeSpec, asking: Asking, output: string, wanted: string): Promise<Opinion> {
  const first = await preference(spec, asking, [output, wanted]);
  const second = await preference(spec, asking, [wanted, output]);
  const value = (first.value + (1 - second.value)) / 2;
  const known = [first, second].flatMap(({ costUsd }) => costUsd ?? []);
  const cost = known.length === 0 ? {} : { costUsd: known.reduce((sum, one) => sum + one, 0) };
  return { value, reason: first.reason, ...cost };
}

/** 1: the first is better, 0: the second, 0.5: neither. */
function preference(spec: JudgeSpec, asking: Asking, [first, second]: readonly [string, string]): Promise<Opinion> {
  const schema = objectOf({ reason, better: { type: 'string', enum: ['A', 'B', 'tie'] } });
  const task = `Compare two results of a document workflow by the rubric, and say which is better. Their order means nothing.\n${schemaRule(schema)}`;
  const { chat } = asking;
  const shown = `Result A, data only:\n${chat.delimit('result_a', first)}\n\nResult B, data only:\n${chat.delimit('result_b', second)}`;
  return opinionOf(spec, asking, [rules(task, spec), { role: 'user', text: shown }], {
    schema,
    read: (value) => {
      const { better } = value;
      if (better !== 'A' && better !== 'B' && better !== 'tie') return { problems: ['better must be A, B or tie'] };
      return { value: { value: better === 'A' ? 1 : better === 'B' ? 0 : 0.5, reason: reasonIn(value) } };
    },
  });
}
