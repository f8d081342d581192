import type { z } from 'zod';
import { createChat } from '#src/adapters/models/create-models.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import type { AskInput, AskResult, ChatEvent } from '#src/contracts/resources/chat.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ChatModel } from '#src/domain/ports/chat-model.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { callTool } from '#tools/call.ts';
import type { AnyTool, ToolContext } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { startOpenAiServer, type Behaviour, type OpenAiServer } from '#test/support/servers/openai-server.ts';
import { fixture, startTestApp, type TestApp } from '#test/support/test-app.ts';

export const scans = {
  letter: ['letter.png', 'image/png'],
  receipt: ['receipt.jpg', 'image/jpeg'],
  invoice: ['invoice.pdf', 'application/pdf'],
  flyer: ['flyer.webp', 'image/webp'],
  note: ['note.gif', 'image/gif'],
} as const;
export type Scan = keyof typeof scans;

export type Asked = Partial<z.input<typeof AskInput>>;
export interface Asking {
  readonly model?: ChatModel;
  readonly principal?: Principal;
  readonly signal?: AbortSignal;
  readonly hear?: (event: ChatEvent) => void;
}
export interface Heard {
  readonly result: z.output<typeof AskResult>;
  readonly events: readonly ChatEvent[];
  /** All text that was told, as it came. */
  readonly text: string;
}

/** The app with scans that the real pipeline has read; no model, unless one is handed in. */
export interface ChatApp extends TestApp {
  readonly scan: Readonly<Record<Scan, string>>;
  /** The seeded owner, or who has this cookie. */
  principal(cookie?: string, organizationId?: string): Promise<Principal>;
  ctx(more?: Asking): Promise<ToolContext>;
  ask(question: string | Asked, more?: Asking): Promise<Heard>;
  run(tool: AnyTool, input: unknown, more?: Asking): Promise<any>;
}

export async function startChatApp(wanted: readonly Scan[]): Promise<ChatApp> {
  const app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  const scan: Partial<Record<Scan, string>> = {};
  for (const name of wanted) scan[name] = (await app.ingest(await fixture(scans[name][0]), scans[name][1])).id;
  await app.app.idle();
  const { deps, sessions } = app.app;
  const { members, organizations } = deps;
  const authenticator = new SessionAuthenticator({ sessions, members, organizations });
  const cookies = new Map<string, Promise<string>>();
  const principal = async (cookie?: string, organizationId = app.seed.organizationId): Promise<Principal> => {
    const owner = cookie ?? (await (cookies.get('owner') ?? cookies.set('owner', app.signIn()).get('owner')));
    return authenticator.byCookie(owner, organizationId);
  };
  const ctx = async ({ model, signal, hear, ...more }: Asking = {}): Promise<ToolContext> => ({
    principal: more.principal ?? (await principal()),
    requestId: 'req_test',
    surface: 'rest',
    signal: signal ?? new AbortController().signal,
    deps: model === undefined ? deps : { ...deps, chatModel: model },
    outcome: {},
    ...(hear !== undefined && { emit: hear }),
  });
  return {
    ...app,
    scan: scan as Record<Scan, string>,
    principal,
    ctx,
    async ask(question, more = {}) {
      const events: ChatEvent[] = [];
      const hear = (event: ChatEvent): void => {
        events.push(event);
        more.hear?.(event);
      };
      const input = typeof question === 'string' ? { messages: [{ role: 'user', text: question }] } : question;
      const result = await callTool(tools.answerChat, await ctx({ ...more, hear }), input);
      return { result, events, text: textOf(events) };
    },
    run: async (tool, input, more) => callTool(tool, await ctx(more), input),
  };
}

function textOf(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
}

/** A model behind a server that answers by script. */
export async function startModel(
  ...chat: readonly Behaviour[]
): Promise<AsyncDisposable & { readonly model: ChatModel; readonly server: OpenAiServer }> {
  const server = await startOpenAiServer({ chat });
  const model = createChat({
    openai: {
      apiKey: 'sk-test-1',
      baseUrl: server.baseUrl,
      visionModel: 'eye-1',
      chatModel: 'talk-1',
      embeddingModel: 'text-embedding-3-small',
      timeoutMs: 6e4,
      maxRetries: 1,
      retryDelayMs: 1,
    },
  });
  return { model, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

export async function errorOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`);
  return error;
}
