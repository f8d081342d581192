import { answerPrompt, type Said } from '#src/domain/chat/answer-prompt.ts';
import { createQuoteCheck, quoteLookup } from '#src/domain/chat/check-quotes.ts';
import { extractAnswer } from '#src/domain/chat/extract-answer.ts';
import { createPlainMarkup } from '#src/domain/chat/plain-markup.ts';
import type { ReadQuestion } from '#src/domain/chat/read-question.ts';
import { chainStages } from '#src/domain/chat/text-stage.ts';
import type { Certainty } from '#src/contracts/resources/chat.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { AnswerSources } from '#tools/chat/find-sources.ts';
import type { ToolContext } from '#tools/define.ts';

/** Limit of a model's answer, in characters: a longer one is a model that repeats itself. */
const longestAnswer = 60_000;

export interface Answer {
  readonly text: string;
  readonly cited: readonly number[];
  readonly certainty: Certainty;
}

/** Quotes lines of the documents unchanged, or says that there are none. */
export function extractedAnswer(question: ReadQuestion, { chosen, sources }: AnswerSources): Answer {
  const markup = createPlainMarkup(sources.length);
  const { text, certainty } = extractAnswer(question, chosen);
  return { text: markup.push(text) + markup.end(), cited: sorted(markup.cited), certainty };
}

/**
 * Streams a model's answer through the quote and markup checks. `write` is not called before there is text. Errors: `model.failed`; an
 * aborted `signal` rejects with its reason. Source: docs/decisions/0041.
 */
export async function modelAnswer(
  { deps: { chatModel }, signal }: Pick<ToolContext<'chatModel'>, 'deps' | 'signal'>,
  asked: { readonly question: string; readonly history: readonly Said[]; readonly answerSources: AnswerSources },
  write: (delta: string) => void,
): Promise<Answer> {
  const { question, history, answerSources } = asked;
  const markup = createPlainMarkup(answerSources.sources.length);
  const stages = chainStages(createQuoteCheck(quoteLookup(answerSources.texts)), markup);
  const endless = new AbortController();
  const parts: string[] = [];
  let length = 0;
  const add = (text: string): void => {
    if (text === '') return;
    parts.push(text);
    write(text);
  };
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
      else add(stages.push(delta));
    },
  });
  add(stages.end());
  if (parts.length === 0) throw new AppError('model.failed', 'The model returned an empty answer. Ask again.');
  return { text: parts.join(''), cited: sorted(markup.cited), certainty: 'likely' };
}

const sorted = (numbers: ReadonlySet<number>): number[] => [...numbers].toSorted((one, other) => one - other);
