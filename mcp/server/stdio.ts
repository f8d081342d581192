import { PassThrough, type Readable, type Writable } from 'node:stream';
import {
  ProtocolError,
  ProtocolErrorCode,
  type JSONRPCMessage,
  type McpServer,
  type MessageExtraInfo,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { asAuthInfo, type McpCaller } from '#mcp/caller.ts';
import type { McpServerFactory } from '#mcp/server/server-factory.ts';
import { Unanswered } from '#mcp/server/unanswered.ts';
import type { Listening } from '#mcp/updates/listening.ts';
import type { PipedListening } from '#mcp/updates/piped-listening.ts';

interface StdioOptions {
  readonly factory: McpServerFactory;
  readonly logger: Logger;
  /** Closes the connection when it aborts. */
  readonly signal: AbortSignal;
  /** Absent: standard input and output. */
  readonly pipe?: { readonly input: Readable; readonly output: Writable };
  /** Time for the answers to what was read when the client closes its end. Clients that do not want to wait kill the process. */
  readonly answerMs?: number;
  /** Subscriptions of the factory's catalog; absent: no updates. */
  readonly listening?: Listening | undefined;
  /** Authenticates the client. Called for each message, so that revoking works at once. */
  caller(): Promise<McpCaller>;
}

const streamsMax = 100;
const usualAnswerMs = 20_000;
const changeNotifications = new Set([
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
]);

/** Receivers of the changes of `PipedListening`. */
interface Changed {
  readonly resource: (uri: string | null) => void;
  readonly tools: () => void;
}

/** Converts an error of authentication to a JSON-RPC error. */
function errorFor(error: unknown): { code: number; message: string } {
  if (error instanceof ProtocolError) return { code: error.code, message: error.message };
  if (error instanceof AppError && error.row.status < 500)
    return {
      code: ProtocolErrorCode.InvalidRequest,
      message: 'The key is no longer valid. Set MCP_KEY to a valid key.',
    };
  return { code: ProtocolErrorCode.InternalError, message: 'The key could not be checked. Retry in a few seconds.' };
}

/** The pipe as a transport of the SDK. Messages do not identify their sender, so each one gets its caller here, in order. */
class CallerWire implements Transport {
  readonly #pipe: StdioServerTransport;
  readonly #source: Readable;
  /** Input of the SDK, which would drop what it has read when the client closes its end. */
  readonly #input = new PassThrough();
  readonly #unanswered = new Unanswered();
  readonly #options: StdioOptions;
  readonly #streams: PipedListening | null;
  readonly #callers = new WeakMap<JSONRPCMessage, McpCaller>();
  readonly #ended = Promise.withResolvers<void>();
  #before: Promise<void> = Promise.resolve();
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(options: StdioOptions, changed: Changed) {
    this.#options = options;
    this.#source = options.pipe?.input ?? process.stdin;
    this.#pipe = new StdioServerTransport(this.#input, options.pipe?.output);
    this.#streams = options.listening?.piped(changed.resource, changed.tools) ?? null;
  }

  /** Resolves when the client has closed its end. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  callerOf(message: JSONRPCMessage): McpCaller {
    const caller = this.#callers.get(message);
    if (caller === undefined) throw new Error('the message did not come through the pipe');
    return caller;
  }

  async start(): Promise<void> {
    // oxlint-disable unicorn/prefer-add-event-listener -- transports of the SDK have this form only
    this.#pipe.onmessage = (message) => {
      this.#unanswered.received(message);
      this.#before = this.#before.then(() => this.#take(message));
    };
    this.#pipe.onerror = (error) => this.onerror?.(error);
    this.#pipe.onclose = () => {
      this.#source.unpipe(this.#input).pause();
      this.#streams?.close();
      this.onclose?.();
      this.#ended.resolve();
    };
    // oxlint-enable unicorn/prefer-add-event-listener
    await this.#pipe.start();
    this.#source.pipe(this.#input, { end: false });
    const leave = (): void => void this.#leave();
    if (this.#source.readableEnded || this.#source.destroyed) leave();
    this.#source.once('end', leave);
    this.#source.once('close', leave);
  }

  /** Ends the input once what was read is answered. */
  async #leave(): Promise<void> {
    // The last bytes are still on their way through the pipe.
    await new Promise(setImmediate);
    await this.#unanswered.settled(this.#options.answerMs ?? usualAnswerMs);
    this.#input.end();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#streams?.outgoing(message);
    // A call was authorized when it began; a subscriber is authorized for each notification.
    if ('method' in message && changeNotifications.has(message.method)) await this.#options.caller();
    await this.#pipe.send(message);
    this.#unanswered.sent(message);
  }

  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** Never rejects. */
  async #take(message: JSONRPCMessage): Promise<void> {
    try {
      const caller = await this.#options.caller();
      const admitted = (await this.#streams?.incoming(caller, message)) ?? message;
      this.#callers.set(admitted, caller);
      this.onmessage?.(admitted);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'a message was refused');
      await this.#refuse(message, error);
    }
  }

  async #refuse(message: JSONRPCMessage, error: unknown): Promise<void> {
    if (!('id' in message) || !('method' in message)) return;
    try {
      const refusal = { jsonrpc: '2.0', id: message.id, error: errorFor(error) } as const;
      await this.#pipe.send(refusal);
      this.#unanswered.sent(refusal);
    } catch (gone) {
      this.#options.logger.debug({ err: gone }, 'the client is gone before its answer');
    }
  }
}

/** Passes the caller of each message to the server. */
function withCaller(mcp: McpServer, wire: CallerWire): McpServer {
  const connect = mcp.connect.bind(mcp);
  return Object.assign(mcp, {
    async connect(transport: Transport) {
      await connect(transport);
      const deliver = transport.onmessage;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- transports of the SDK have this form only
      transport.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) =>
        deliver?.(message, { ...extra, authInfo: asAuthInfo(wire.callerOf(message)) });
    },
  });
}

/** Serves one local client, of either generation, until it closes its end or `signal` aborts. */
export async function serveLocalClient(options: StdioOptions): Promise<void> {
  const { factory, logger, signal } = options;
  let newest: McpServer | null = null;
  const send = (sent: Promise<void> | undefined): void =>
    void sent?.catch((error: unknown) => logger.debug({ err: error }, 'an update did not reach the client'));
  const wire = new CallerWire(options, {
    resource: (uri) =>
      send(uri === null ? newest?.server.sendResourceListChanged() : newest?.server.sendResourceUpdated({ uri })),
    tools: () => send(newest?.server.sendToolListChanged()),
  });
  const connection = serveStdio(
    ({ era }) => {
      const mcp = withCaller(factory.newServer(), wire);
      // Older clients subscribe with their server and get their updates from it.
      newest = era === 'modern' ? mcp : null;
      return mcp;
    },
    {
      transport: wire,
      maxSubscriptions: streamsMax,
      onerror: (error) => logger.debug({ err: error }, 'an MCP message was refused'),
    },
  );
  // Closing is needed, since standard input keeps the process alive.
  const leave = (): void => void connection.close();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  await wire.ended;
  signal.removeEventListener('abort', leave);
}
