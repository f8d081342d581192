import type { ChatEvent } from '#src/contracts/resources/chat.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ToolContext } from '#tools/define.ts';
import { createAgUiStream } from '#http/chat/ag-ui-stream.ts';
import type { AnswerRegistry } from '#http/chat/answer-registry.ts';
import type { LiveAnswer } from '#http/chat/live-answer.ts';
import type { Asked, ChatRequest } from '#http/chat/request.ts';
import { AnswerStreamWriter } from '#http/chat/stream-writer.ts';
import { createUiStream } from '#http/chat/ui-stream.ts';
import type { Answered, Wire } from '#http/chat/wire.ts';
import { asAppError } from '#http/problem.ts';

/** Asks the documents: the use case behind every wire. */
export type Ask = (ctx: ToolContext, asked: Asked) => Promise<Answered>;

export const wireOf = ({ wire }: ChatRequest): Wire => (wire.kind === 'ui' ? createUiStream() : createAgUiStream(wire));

interface Production {
  readonly answers: AnswerRegistry;
  readonly answer: LiveAnswer;
  readonly request: ChatRequest;
  readonly wire: Wire;
  readonly ask: Ask;
  readonly ctx: Omit<ToolContext, 'emit' | 'signal'>;
  readonly logger: Logger;
}

/** Makes the answer, to its end or failure. Never rejects. */
export async function produce(production: Production): Promise<void> {
  const { answers, answer, request, wire, ask, logger } = production;
  const { signal } = answer;
  const teller = new AnswerStreamWriter(answer, wire);
  const emit = (event: ChatEvent): void => {
    if (event.type === 'begin') {
      answers.name(answer, event.conversationId);
      answers.name(answer, event.messageId);
    }
    teller.hear(event);
  };
  try {
    teller.end(await ask({ ...production.ctx, signal, emit }, request.asked));
  } catch (failure) {
    if (answer.over) return;
    const error: unknown = signal.aborted ? signal.reason : failure;
    if (!teller.opened) {
      answer.refuse(error);
      return;
    }
    const fault = asAppError(error);
    if (fault.row.status >= 500 && !signal.aborted)
      logger.error({ err: fault.cause ?? error, requestId: production.ctx.requestId }, 'an answer ended early');
    teller.fail(fault);
  }
}
