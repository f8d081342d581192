import type { Request, RequestHandler, Response, Router } from 'express';
import type { Route } from '#src/contracts/route.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import { callTool, fieldErrors, invalidInput } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { admission, cookieGuards, type Facade, jsonBody } from '#http/bind.ts';
import { AnswerRegistry, answersDefaults, type AnswerRegistryOptions } from '#http/chat/answer-registry.ts';
import { deliver, type DeliverOptions, type LiveAnswer } from '#http/chat/live-answer.ts';
import { produce, wireOf, type Ask } from '#http/chat/stream-writer.ts';
import { readChat } from '#http/chat/request.ts';
import { requestIdOf } from '#http/base-app.ts';
import { sseDefaults } from '#http/sse.ts';

export interface ChatOptions extends AnswerRegistryOptions, DeliverOptions {
  readonly ask: Ask;
  /** Interval at which the session is checked again. */
  readonly checkMs: number;
  /** Aborts when answers that have not ended are about to be cut. */
  readonly cutting: AbortSignal | null;
}

const chatDefaults: ChatOptions = {
  ...answersDefaults,
  ...sseDefaults,
  checkMs: 30_000,
  cutting: null,
  ask: (ctx, asked) => callTool(tools.answerChat, ctx, asked),
};

/** Paths of the rows, and the paths under which the web bundle's proxy reaches them. */
const proxied = (path: string): string[] => [path, path.replace('/api/dashboard/documents/', '/api/documents/')];
const ownerOf = ({ organizationId, actorId }: Pick<Principal, 'organizationId' | 'actorId'>): string =>
  `${organizationId}\n${actorId}`;

function checked(part: Route['query'], value: unknown): void {
  const result = part?.safeParse(value);
  if (result?.error !== undefined) throw invalidInput(fieldErrors(result.error));
}

/** Calls back when the session or the membership has ended. A database outage is neither. */
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

/** Streams answers to new questions, and resumes streams that broke off. Source: docs/decisions/0042. */
export function mountDashboardChat(router: Router, facade: Facade, given: Partial<ChatOptions> = {}): AnswerRegistry {
  const options: ChatOptions = { ...chatDefaults, ...given };
  const answers = new AnswerRegistry(options);
  const { deps } = facade;
  const callers = new WeakMap<Request, Principal>();
  const { chat, resumeChat } = dashboardLive;
  options.cutting?.addEventListener('abort', () => answers.close(), { once: true });

  const callerOf = (request: Request): Principal => {
    const principal = callers.get(request);
    if (principal === undefined) throw new Error(`${chat.id}: no caller was authenticated`);
    return principal;
  };

  /** Resolves to false when there was nothing to send. Rejects when the answer failed before its first frame. */
  async function stream(answer: LiveAnswer, request: Request, response: Response): Promise<boolean> {
    const leave = answers.attach(answer);
    const unwatch = watch(facade, request, options.checkMs, () => {
      response.destroy();
      answers.end(answer, new AppError('auth.unauthorized', 'This session has ended. Sign in again.'));
    });
    response.once('close', () => {
      unwatch();
      leave(response.writableFinished && answer.over);
    });
    // The connection closed before the listener was added.
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
      // An EventSource that reconnects must not ask the question again.
      const answer = answers.find(owner, back);
      if (answer === null || !(await stream(answer, request, response))) response.status(204).end();
      return;
    }
    const asked = readChat(request.body);
    const wire = wireOf(asked);
    // Only AI SDK clients resume, by the id of their chat.
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
      throw new AppError(
        'service.unavailable',
        'Another question in this chat replaced this one before its answer began. Ask again.',
      );
  };

  const resume: RequestHandler = async (request, response) => {
    const { organizationId, actorId } = callerOf(request);
    checked(resumeChat.params, request.params);
    checked(resumeChat.query, request.query);
    const chatId = String(request.params['chatId']);
    const answer = answers.find(ownerOf({ organizationId, actorId }), chatId);
    if (answer !== null && (await stream(answer, request, response).catch(() => false))) return;
    // Ids that clients make belong to them alone, so 204 reveals nothing. Stored ids are checked.
    if (chatId.startsWith('chat_') && (await deps.conversations.find(organizationId, actorId, chatId)) === null)
      throw new AppError(
        'conversation.not_found',
        'No conversation with this id belongs to you. Take an id from the list of conversations.',
      );
    response.status(204).end();
  };

  const before = [...cookieGuards(facade, chat), admission(facade, chat, { expensive: true }, callers), jsonBody];
  const beforeResume = admission(facade, resumeChat, {}, callers);
  for (const path of proxied(chat.path)) router.post(path, ...before, ask);
  for (const path of proxied(resumeChat.path)) router.get(path, beforeResume, resume);
  return answers;
}
