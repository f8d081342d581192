import type { AnswerFacts, Certainty } from '#src/contracts/resources/chat.ts';
import { answerPrompt, type Said } from '#src/domain/chat/answer-prompt.ts';
import { createQuoteCheck, quoteLookup } from '#src/domain/chat/check-quotes.ts';
import { extractAnswer, extractiveLabel } from '#src/domain/chat/extract-answer.ts';
import { createPlainMarkup } from '#src/domain/chat/plain-markup.ts';
import { phrases, type NoModel } from '#src/domain/chat/phrases.ts';
import type { ReadQuestion } from '#src/domain/chat/read-question.ts';
import { chainStages } from '#src/domain/chat/text-stage.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AnswerSources } from '#tools/chat/find-sources.ts';
import type { ToolContext } from '#tools/define.ts';

/** Limit of a model's answer, in characters: a longer one is a model that repeats itself. */
const longestAnswer = 60_000;

export interface Answer extends AnswerFacts {
  readonly answerText: string;
  readonly cited: number[];
  readonly modelLabel: string;
}

export interface AnswerRequest {
  readonly question: string;
  readonly read: ReadQuestion;
  readonly history: readonly Said[];
  readonly answerSources: AnswerSources;
}

/** Receives the text of an answer as it is made, with the label of its author. */
export type WriteAnswer = (delta: string, modelLabel: string) => void;

/**
 * Answers with the model if there is one and something to ask it about, and otherwise by quotes. A model that fails before its first text
 * is replaced by quotes; later, a notice ends its answer. Errors: the reason of an aborted `signal`. Source: docs/decisions/0041, 0133.
 */
export async function makeAnswer(
  ctx: Pick<ToolContext<'chatModel' | 'logger'>, 'deps' | 'signal' | 'requestId'>,
  asked: AnswerRequest,
  write: WriteAnswer,
): Promise<Answer> {
  const { label } = ctx.deps.chatModel;
  // Without sources a model could only invent an answer, so none is asked.
  if (label === null || asked.answerSources.sources.length === 0) return quoted(asked, 'none', write);
  const draft = createDraft(asked.answerSources, (delta) => write(delta, label));
  try {
    await runModel(ctx, asked, draft.push);
    draft.end();
    if (draft.text() === '') throw new AppError('model.failed', 'The model returned an empty answer. Ask again.');
    return { ...draft.facts(), answerText: draft.text(), modelLabel: label, notice: null };
  } catch (error) {
    if (ctx.signal.aborted || !isModelFailure(error)) throw error;
    ctx.deps.logger.error({ err: error.cause ?? error, requestId: ctx.requestId }, `a model failed: ${error.detail}`);
    if (draft.text() === '') return quoted(asked, 'failed', write);
    draft.end();
    write(`\n\n${phrases[asked.read.language].cut}`, label);
    const answerText = `${draft.text()}\n\n${phrases[asked.read.language].cut}`;
    return { ...draft.facts(), answerText, modelLabel: label, certainty: 'unsure', notice: 'model_broke_off' };
  }
}

const modelFailures: ReadonlySet<string> = new Set(['model.failed', 'model.refused', 'model.unavailable']);
const isModelFailure = (error: unknown): error is AppError =>
  error instanceof AppError && modelFailures.has(error.code);

/** Quotes sentences of the documents unchanged, or says that there are none. */
function quoted({ read, answerSources }: AnswerRequest, reason: NoModel, write: WriteAnswer): Answer {
  const { chosen, sources } = answerSources;
  const markup = createPlainMarkup(sources.length);
  const { text, certainty } = extractAnswer(read, chosen, reason);
  const answerText = markup.push(text) + markup.end();
  write(answerText, extractiveLabel);
  const notice = reason === 'failed' ? 'model_failed' : null;
  return {
    answerText,
    cited: sorted(markup.cited),
    modelLabel: extractiveLabel,
    certainty,
    unverifiedQuotes: [],
    notice,
  };
}

/** Passes the text of a model through the quote and markup checks. `write` is not called before there is text. */
function createDraft({ texts, sources }: AnswerSources, write: (delta: string) => void) {
  const quotes = createQuoteCheck(quoteLookup(texts));
  const markup = createPlainMarkup(sources.length);
  const stages = chainStages(quotes, markup);
  const parts: string[] = [];
  const add = (text: string): void => {
    if (text === '') return;
    parts.push(text);
    write(text);
  };
  return {
    push: (delta: string) => add(stages.push(delta)),
    end: () => add(stages.end()),
    text: () => parts.join(''),
    facts(): Pick<Answer, 'cited' | 'certainty' | 'unverifiedQuotes'> {
      const cited = sorted(markup.cited);
      const unverifiedQuotes = quotes.unverified.map((quote) => ({ quoteText: harmless(quote) }));
      const certainty: Certainty = cited.length > 0 && unverifiedQuotes.length === 0 ? 'likely' : 'unsure';
      return { cited, certainty, unverifiedQuotes };
    },
  };
}

function harmless(text: string): string {
  const markup = createPlainMarkup(0);
  return markup.push(text) + markup.end();
}

/** Errors: `model.failed`; an aborted `signal` rejects with its reason. */
async function runModel(
  { deps: { chatModel }, signal }: Pick<ToolContext<'chatModel'>, 'deps' | 'signal'>,
  { question, history, answerSources }: AnswerRequest,
  push: (delta: string) => void,
): Promise<void> {
  const endless = new AbortController();
  let length = 0;
  await chatModel.complete({
    messages: answerPrompt({ question, history, sources: answerSources.sources }, (name, text) =>
      chatModel.delimit(name, text),
    ),
    temperature: 0,
    signal: AbortSignal.any([signal, endless.signal]),
    onText(delta) {
      length += delta.length;
      if (length > longestAnswer)
        endless.abort(
          new AppError(
            'model.failed',
            `The model wrote more than ${longestAnswer} characters. Ask again, or ask a narrower question.`,
          ),
        );
      else push(delta);
    },
  });
}

const sorted = (numbers: ReadonlySet<number>): number[] => [...numbers].toSorted((one, other) => one - other);
