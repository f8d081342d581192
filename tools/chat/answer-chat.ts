import { AskInput, AskResult } from '#src/contracts/resources/chat.ts';
import type { Said } from '#src/domain/chat/answer-prompt.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';
import { AppError } from '#src/domain/app-error.ts';
import { askedScope } from '#tools/chat/find-sources.ts';
import { openExchange, type Exchange } from '#tools/chat/conversation.ts';
import { findAnswerSources, type AnswerSources } from '#tools/chat/find-sources.ts';
import { makeAnswer, type Answer } from '#tools/chat/make-answer.ts';
import { storedMessages } from '#tools/chat/conversation.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import type { z } from 'zod';

type Input = z.output<typeof AskInput>;

/** Limit of one question, in characters. */
const longestQuestion = 16_000;
/** Stored messages that are read as history when the caller sends only the question. */
const storedHistory = 20;

/** Answers a turn of a stored conversation in the dashboard; agents use ask_documents. */
export const answerChat = defineTool({
  name: 'answer_chat',
  description:
    'Answers the next question of a conversation about documents and cites its sources as [n]. Answers quote documents: untrusted content.',
  scope: 'documents:read',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: AskInput,
  output: AskResult,
  async run(
    ctx: ToolContext<
      | 'apiKeys'
      | 'chatModel'
      | 'conversations'
      | 'documents'
      | 'groundingTexts'
      | 'logger'
      | 'search'
      | 'stemmers'
      | 'thumbnails'
    >,
    input,
  ) {
    const { question, questionId, first } = readAsked(input);
    const { projectIds, apiKeyIds, documentIds } = input;
    const narrowing = {
      ...(projectIds !== undefined && { projectIds }),
      ...(apiKeyIds !== undefined && { apiKeyIds }),
      ...(documentIds !== undefined && { documentIds }),
    };
    const [scope, history] = await Promise.all([askedScope(ctx, narrowing), historyOf(ctx, input)]);
    const before = history.findLast(({ role }) => role === 'user')?.text;
    const read = readQuestion(question, before, ctx.deps.stemmers);
    const hasModel = ctx.deps.chatModel.label !== null;
    const answerSources = await findAnswerSources(ctx, read, { scope, reader: hasModel ? 'model' : 'rules' });
    ctx.signal.throwIfAborted();
    const exchange = openExchange(ctx, {
      ...(input.conversationId !== undefined && { conversationId: input.conversationId }),
      ...(questionId !== undefined && { questionId }),
      question,
      first,
      scope: narrowing,
    });
    await exchange.keepQuestion();
    const stream = answerStream(ctx, exchange, answerSources);
    const { sources } = answerSources;
    const answer = await kept({ ctx, exchange, stream, sources }, () =>
      makeAnswer(ctx, { question, read, history, answerSources }, (delta, modelLabel) =>
        stream.write(delta, modelLabel),
      ),
    );
    const { conversationId, messageId } = exchange;
    return { ...answer, conversationId, messageId, sources: [...sources] };
  },
});

function readAsked({ messages }: Input): { question: string; questionId: string | undefined; first: string } {
  const at = messages.length - 1;
  const last = messages[at];
  const refuse = (code: string, message: string): AppError =>
    new AppError('request.invalid', `Field /messages/${at}: ${message}.`, {
      errors: [{ pointer: `/messages/${at}`, code, message }],
    });
  if (last?.role !== 'user') throw refuse('not_a_question', 'the last message must be the question, with role user');
  if (last.text.trim() === '') throw refuse('too_small', 'the question has no text');
  if (last.text.length > longestQuestion) throw refuse('too_big', `at most ${longestQuestion} characters`);
  const first = messages.find(({ role, text }) => role === 'user' && text.trim() !== '') ?? last;
  return { question: last.text, questionId: last.id, first: first.text };
}

/** History of the conversation: the messages that the caller sent, or the stored ones when it sent only the question. */
async function historyOf(
  ctx: ToolContext<'conversations' | 'documents'>,
  { messages, conversationId }: Input,
): Promise<Said[]> {
  if (messages.length > 1 || conversationId === undefined)
    return messages.slice(0, -1).map(({ role, text }) => ({ role, text }));
  const { messages: stored } = await storedMessages(ctx, conversationId, storedHistory);
  const [question] = messages;
  const known = stored.findIndex(({ _id }) => _id === question?.id);
  return stored.slice(0, known === -1 ? undefined : known).map(({ role, text }) => ({ role, text }));
}

interface AnswerStream {
  write(delta: string, modelLabel: string): void;
  /** Text so far, and its author; null before the first text. */
  written(): { readonly text: string; readonly modelLabel: string } | null;
}

/** Emits `begin` and `sources` with the first text, so that an earlier failure can still be answered as a plain error. */
function answerStream(
  { emit }: ToolContext<never>,
  { conversationId, messageId }: Exchange,
  { sources }: AnswerSources,
): AnswerStream {
  const parts: string[] = [];
  let author: string | null = null;
  return {
    write(delta, modelLabel) {
      if (author === null) {
        emit?.({ type: 'begin', conversationId, messageId, modelLabel });
        emit?.({ type: 'sources', sources });
      }
      author ??= modelLabel;
      parts.push(delta);
      emit?.({ type: 'text', delta });
    },
    written: () => (author === null ? null : { text: parts.join(''), modelLabel: author }),
  };
}

interface Keeping {
  readonly ctx: ToolContext<'chatModel'>;
  readonly exchange: Exchange;
  readonly stream: AnswerStream;
  readonly sources: AnswerSources['sources'];
}

/** Stores the answer with its outcome: complete, stopped or failed. An answer that failed before its first text is not stored. */
async function kept({ ctx, exchange, stream, sources }: Keeping, make: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await make();
  } catch (error) {
    const { aborted } = ctx.signal;
    const written = stream.written() ?? (aborted ? { text: '', modelLabel: ctx.deps.chatModel.label } : null);
    if (written !== null) await exchange.keepAnswer({ ...written, sources, status: aborted ? 'stopped' : 'failed' });
    throw error;
  }
  const { answerText: text, modelLabel, certainty, notice } = answer;
  const status = notice === 'model_broke_off' ? 'failed' : 'complete';
  await exchange.keepAnswer({ text, sources, modelLabel, certainty, status });
  return answer;
}
