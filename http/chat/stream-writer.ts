import type { ChatEvent, SourceCard } from '#src/contracts/resources/chat.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { LiveAnswer } from '#http/chat/live-answer.ts';
import { type Answered, type Begin, type Wire, createUiStream, createAgUiStream } from '#http/chat/wire.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ToolContext } from '#tools/define.ts';
import type { AnswerRegistry } from '#http/chat/answer-registry.ts';
import type { Asked, ChatRequest } from '#http/chat/request.ts';
import { asAppError } from '#http/problem.ts';

/**
 * Writes the events of an answer as frames, in the order that the protocol needs. The first frame waits for the sources, so an error
 * before them still gets an HTTP status of its own.
 */
export class AnswerStreamWriter {
  readonly #answer: LiveAnswer;
  readonly #wire: Wire;
  #begin: Begin | null = null;
  #sourced = false;
  #spoken = false;

  constructor(answer: LiveAnswer, wire: Wire) {
    this.#answer = answer;
    this.#wire = wire;
  }

  /** True once the client may have received a frame. */
  get opened(): boolean {
    return this.#answer.length > 0;
  }

  write(event: ChatEvent): void {
    if (event.type === 'begin') this.#begin ??= event;
    else if (event.type === 'sources') this.#sources(event.sources);
    else if (event.delta !== '') this.#text(event.delta);
  }

  end(answered: Answered): void {
    this.#begin ??= { type: 'begin', ...answered };
    this.#sources(answered.sources);
    if (!this.#spoken && answered.answerText !== '') this.#text(answered.answerText);
    this.#answer.finish(this.#wire.end(answered));
  }

  fail(appError: AppError): void {
    this.#answer.finish(this.#wire.failure(appError));
  }

  #sources(sources: readonly SourceCard[]): void {
    if (this.#sourced) return;
    if (this.#begin === null) throw new Error('sources came before the begin event');
    this.#sourced = true;
    this.#append(this.#wire.begin(this.#begin) + this.#wire.sources(sources));
  }

  #text(delta: string): void {
    this.#sources([]);
    this.#spoken = true;
    this.#append(this.#wire.text(delta));
  }

  #append(text: string): void {
    if (this.#answer.over || this.#answer.append(text)) return;
    this.#answer.abort(
      new AppError(
        'service.unavailable',
        'The answer exceeded the maximum length and ends here. Ask a narrower question.',
      ),
    );
  }
}

/** The use case that answers a question, whatever the protocol. */
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

/** Generates the answer until it ends or fails. Never rejects. */
export async function produce(production: Production): Promise<void> {
  const { answers, answer, request, wire, ask, logger } = production;
  const { signal } = answer;
  const writer = new AnswerStreamWriter(answer, wire);
  const emit = (event: ChatEvent): void => {
    if (event.type === 'begin') {
      answers.name(answer, event.conversationId);
      answers.name(answer, event.messageId);
    }
    writer.write(event);
  };
  try {
    writer.end(await ask({ ...production.ctx, signal, emit }, request.asked));
  } catch (failure) {
    if (answer.over) return;
    const error: unknown = signal.aborted ? signal.reason : failure;
    if (!writer.opened) {
      answer.reject(error);
      return;
    }
    const appError = asAppError(error);
    if (appError.row.status >= 500 && !signal.aborted)
      logger.error({ err: appError.cause ?? error, requestId: production.ctx.requestId }, 'a chat answer failed');
    writer.fail(appError);
  }
}
