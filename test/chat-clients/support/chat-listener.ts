import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Authenticator } from '#src/auth/authenticate.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import type { SourceCard } from '#src/contracts/resources/chat.ts';
import { newId } from '#src/domain/ids.ts';
import type { Facade } from '#http/bind.ts';
import type { AnswerRegistry } from '#http/chat/answer-registry.ts';
import type { Ask } from '#http/chat/stream-writer.ts';
import type { Answered } from '#http/chat/wire.ts';
import { requestId } from '#http/base-app.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountDashboardChat, type ChatOptions } from '#http/chat/mount-chat.ts';
import type { ToolContext } from '#tools/define.ts';
import type { TestApp } from '#test/support/test-app.ts';

export const chatPath = '/api/dashboard/documents/chat';

export interface ChatListener extends AsyncDisposable {
  readonly url: string;
  readonly answers: AnswerRegistry;
}

/** The chat's own routes over the parts of a real app, with what is asked of them in the test's hands. */
export async function listenForChat(
  { app }: TestApp,
  ask: Ask,
  options: Partial<ChatOptions> & { readonly limiters?: Facade['limiters'] } = {},
): Promise<ChatListener> {
  const { deps, sessions } = app;
  const facade: Facade = {
    authenticator: new Authenticator(deps.apiKeys, deps.logger),
    sessions: new SessionAuthenticator({ sessions, members: deps.members, organizations: deps.organizations }),
    origins: () => [],
    deps,
    limiters: options.limiters ?? null,
  };
  const router = express.Router();
  const answers = mountDashboardChat(router, facade, { ...options, ask });
  const server = createServer(express().use(requestId, router, notFound, problems(deps.logger)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    async [Symbol.asyncDispose]() {
      answers.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function sourceCard(index: number, more: Partial<SourceCard> = {}): SourceCard {
  const documentId = `doc_${index}`;
  return {
    sourceId: `src_${index}`,
    index,
    documentId,
    projectId: 'prj_1',
    objectKey: `uploads/org/prj/key/2026/01/${documentId}.png`,
    contentType: 'image/png',
    createdAt: '2026-01-01T00:00:00.000Z',
    title: `Invoice ${index}`,
    description: 'An invoice',
    thumbnailUrl: null,
    distance: null,
    score: 1,
    excerpts: [{ field: 'ocr', resultId: 'ocr_1', text: 'Total 42.00', start: 0, end: 11, verified: true }],
    ...more,
  };
}

export interface Script {
  readonly sources?: readonly SourceCard[];
  readonly deltas?: readonly string[];
  /** Awaited between the sources and the text, together with the end of the signal. */
  readonly gate?: Promise<void>;
}

async function untilAborted(signal: AbortSignal, gate: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  if (signal.aborted) reject(signal.reason as Error);
  await Promise.race([gate, promise]);
}

/** Tells an answer as the use case does. */
export async function tellAnswer(ctx: ToolContext, script: Script, conversationId?: string): Promise<Answered> {
  const { sources = [sourceCard(1), sourceCard(2)], deltas = ['The total ', 'is 42.00 [1].'], gate } = script;
  const ids = {
    conversationId: conversationId ?? newId('conversation'),
    messageId: newId('message'),
    modelLabel: 'test/script',
  };
  ctx.emit?.({ type: 'begin', ...ids });
  ctx.emit?.({ type: 'sources', sources });
  if (gate !== undefined) await untilAborted(ctx.signal, gate);
  for (const delta of deltas) ctx.emit?.({ type: 'text', delta });
  const facts = { certainty: 'likely' as const, unverifiedQuotes: [], notice: null };
  return { ...ids, answerText: deltas.join(''), sources: [...sources], cited: [1], ...facts };
}
