import type { Request, RequestHandler, Response, Router } from 'express';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { callTool, fieldErrors, invalidInput } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { admission, cookieGuards, type Facade } from '#http/bind.ts';
import { AnswerRegistry, answersDefaults, type AnswerRegistryOptions } from '#http/chat/answer-registry.ts';
import { deliver, type DeliverOptions } from '#http/chat/deliver.ts';
import type { LiveAnswer } from '#http/chat/live-answer.ts';
import { produce, wireOf, type Ask } from '#http/chat/produce.ts';
import { readChat } from '#http/chat/request.ts';
import { jsonBody } from '#http/guard/json-body.ts';
import { requestIdOf } from '#http/guard/request-id.ts';
import { sseDefaults } from '#http/sse.ts';

export interface ChatOptions extends AnswerRegistryOptions, DeliverOptions {
  readonly ask: Ask;
  /** How often it is looked whether the session still stands. */
  readonly checkMs: number;
  /** Aborts when the process ends. */
  readonly closing: AbortSignal | null;
}

const chatDefaults: ChatOptions = {
  ...answersDefaults,
  ...sseDefaults,
  checkMs: 30_000,
  closing: null,
  ask: (ctx, asked) => callTool(tools.answerChat, ctx, asked),
};

/** The web bundle's own addresses, beside the rows' paths. Source: contracts.md "Chat". */
const proxied = (path: string): string[] => [path, path.replace('/api/dashboard/documents/', '/api/documents/')];
const ownerOf = ({ organizationId, actorId }: Pick<Principal, 'organizationId' | 'actorId'>): string =>
  `${organizationId}\n${actorId}`;

function checked(part: (typeof dashboardLive.chat)['query'], value: unknown): void {
  const result = part?.safeParse(value);
  if (result?.error !== undefined) throw invalidInput(fieldErrors(result.error));
}

/** Calls back when the session ended, or is no member's any more. An outage of the database is neither. */
function watch(facade: Facade, request: Request, everyMs: number, ended: () => void): () => void {
  const named = request.query['organizationId'];
  const { cookie } = request.headers;
  const timer = setInterval(() => {
    facade.sessions.byCookie(cookie, typeof named === 'string' ? named : undefined).catch((error: unknown) => {
      if (error instanceof AppError && error.row.status < 500) ended();
    });
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Streams answers to those who ask, and to those who come back. Source: contracts.md "Chat"; docs/decisions/0042. */
export function mountDashboardChat(router: Router, facade: Facade, given: Partial<ChatOptions> = {}): AnswerRegistry {
  const options: ChatOptions = { ...chatDefaults, ...given };
  const answers = new AnswerRegistry(options);
  const { deps } = facade;
  const callers = new WeakMap<Request, Principal>();
  const { chat, resumeChat } = dashboardLive;
  options.closing?.addEventListener('abort', () => answers.close(), { once: true });

  const callerOf = (request: Request): Principal => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${chat.id}: nobody was admitted`);
    return principal;
  };

  /** False when there was nothing to send; rejects with what made the answer fail before its first frame. */
  async function stream(answer: LiveAnswer, request: Request, response: Response): Promise<boolean> {
    const leave = answers.attach(answer);
    const unwatch = watch(facade, request, options.checkMs, () => {
      response.destroy();
      answers.end(answer, new AppError('auth.unauthorized', 'Sign in: this session has ended.'));
    });
    response.once('close', () => {
      unwatch();
      leave(response.writableFinished && answer.over);
    });
    // `close` came before somebody listened to it.
    if (response.destroyed) leave(false);
    if (!(await answer.opened)) return false;
    await deliver(answer, response, options);
    return true;
  }

  const ask: RequestHandler = async (request, response) => {
    const principal = callerOf(request);
    const owner = ownerOf(principal);
    checked(chat.query, request.query);
    const back = request.get('last-event-id');
    if (back !== undefined && back !== '') {
      // A reader that comes back by itself does not mean to ask again.
      const answer = answers.find(owner, back);
      if (answer === null || !(await stream(answer, request, response))) response.status(204).end();
      return;
    }
    const asked = readChat(request.body);
    const wire = wireOf(asked);
    // Only the AI SDK's clients come back, and only by the name of their chat.
    const resumable = asked.wire.kind === 'ui' && asked.chatId !== null;
    const answer = answers.open(owner, asked.chatId, wire.headers, resumable);
    const ctx = {
      principal,
      requestId: requestIdOf(response),
      surface: 'rest' as const,
      ip: request.ip ?? null,
      deps,
      outcome: {},
    };
    const streaming = stream(answer, request, response);
    void produce({ answers, answer, request: asked, wire, ask: options.ask, ctx, logger: deps.logger });
    if (!(await streaming) && !response.destroyed)
      throw new AppError('service.unavailable', 'The answer was given up before it began: ask again.');
  };

  const resume: RequestHandler = async (request, response) => {
    const { organizationId, actorId } = callerOf(request);
    checked(resumeChat.params, request.params);
    checked(resumeChat.query, request.query);
    const chatId = String(request.params['chatId']);
    const answer = answers.find(ownerOf({ organizationId, actorId }), chatId);
    if (answer !== null && (await stream(answer, request, response).catch(() => false))) return;
    // A name that a client made itself is nobody else's: nothing is to be found behind it, and nothing to be hidden.
    if (chatId.startsWith('chat_') && (await deps.conversations.find(organizationId, actorId, chatId)) === null)
      throw new AppError('conversation.not_found', 'No conversation with this id is yours.');
    response.status(204).end();
  };

  const before = [...cookieGuards(facade, chat), admission(facade, chat, { expensive: true }, callers), jsonBody];
  const beforeResume = admission(facade, resumeChat, {}, callers);
  for (const path of proxied(chat.path)) router.post(path, ...before, ask);
  for (const path of proxied(resumeChat.path)) router.get(path, beforeResume, resume);
  return answers;
}
