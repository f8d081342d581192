import { AskInput, AskResult, type ChatEvent } from '#src/contracts/resources/chat.ts';
import type { Said } from '#src/domain/chat/answer-prompt.ts';
import { extractiveLabel } from '#src/domain/chat/extract-answer.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';
import { AppError } from '#src/domain/app-error.ts';
import { askedScope } from '#tools/chat/find-sources.ts';
import { openExchange, type Exchange } from '#tools/chat/conversation.ts';
import { findAnswerSources, type AnswerSources } from '#tools/chat/find-sources.ts';
import { extractedAnswer, modelAnswer, type Answer } from '#tools/chat/make-answer.ts';
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
      'apiKeys' | 'chatModel' | 'conversations' | 'documents' | 'groundingTexts' | 'search' | 'stemmers' | 'thumbnails'
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
    // Without sources a model could only invent an answer, so none is asked.
    const modelLabel = (answerSources.sources.length > 0 ? ctx.deps.chatModel.label : null) ?? extractiveLabel;
    const stream = answerStream(ctx, { exchange, answerSources, modelLabel });
    const make = async (): Promise<Answer> => {
      if (modelLabel !== extractiveLabel)
        return modelAnswer(ctx, { question, history, answerSources }, (delta) => stream.write(delta));
      const answer = extractedAnswer(read, answerSources);
      stream.write(answer.text);
      return answer;
    };
    const { text, cited } = await kept({ ctx, exchange, stream, sources: answerSources.sources, modelLabel }, make);
    const { conversationId, messageId } = exchange;
    return {
      conversationId,
      messageId,
      answerText: text,
      sources: [...answerSources.sources],
      cited: [...cited],
      modelLabel,
    };
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
  write(delta: string): void;
  written(): string;
}

/** Emits `begin` and `sources` with the first text, so that an earlier failure can still be answered as a plain error. */
function answerStream(
  { emit }: ToolContext<never>,
  { exchange, answerSources, modelLabel }: { exchange: Exchange; answerSources: AnswerSources; modelLabel: string },
): AnswerStream {
  const parts: string[] = [];
  const { conversationId, messageId } = exchange;
  const opening: readonly ChatEvent[] = [
    { type: 'begin', conversationId, messageId, modelLabel },
    { type: 'sources', sources: answerSources.sources },
  ];
  return {
    write(delta) {
      if (parts.length === 0) for (const event of opening) emit?.(event);
      parts.push(delta);
      emit?.({ type: 'text', delta });
    },
    written: () => parts.join(''),
  };
}

interface Keeping {
  readonly ctx: ToolContext<never>;
  readonly exchange: Exchange;
  readonly stream: AnswerStream;
  readonly sources: AnswerSources['sources'];
  readonly modelLabel: string;
}

/** Stores the answer with its outcome: complete, stopped or failed. An answer that failed before its first text is not stored. */
async function kept(
  { ctx, exchange, stream, sources, modelLabel }: Keeping,
  make: () => Promise<Answer>,
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await make();
  } catch (error) {
    const text = stream.written();
    const { aborted } = ctx.signal;
    if (aborted || text !== '')
      await exchange.keepAnswer({ text, sources, modelLabel, status: aborted ? 'stopped' : 'failed' });
    throw error;
  }
  await exchange.keepAnswer({ text: answer.text, sources, modelLabel, status: 'complete' });
  return answer;
}
