import { Redis, type RedisOptions } from 'ioredis';
import { describeServer, type RedisServer } from '#src/adapters/redis/describe-server.ts';
import { InkgraphError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** Redis does not answer. Every user of it goes on without it. */
class RedisDownError extends InkgraphError {}

export interface RedisState {
  readonly isUp: boolean;
  /** The reason, without addresses and credentials; null while all is well. */
  readonly detail: string | null;
  /** Failed commands and connections since the start. */
  readonly errors: number;
}

interface LinkOptions {
  readonly url: string;
  readonly logger: Logger;
}

/** Longest time that anything waits for one command. */
const commandMs = 500;
const connectMs = 2_000;
const probeMs = 1_000;
/** Silence after which a connection is given up and made anew. */
const silenceMs = 3_000;
const longestPauseMs = 2_000;
/** Time for which a refused command counts as a state of the server. */
const refusalMs = 60_000;

type Options = Omit<RedisOptions, 'replyMapping'>;

const usual: Options = {
  connectTimeout: connectMs,
  keepAlive: 10_000,
  retryStrategy: (attempt) => Math.min(attempt * 200, longestPauseMs),
  // A server that became a replica: its name leads to the new one by now.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
  connectionName: 'inkgraph',
  disableClientInfo: true,
};

/** First word of a reply of the server, such as OOM or NOAUTH; null for an error of the connection. */
function replyWord(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return null;
  return /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR';
}

/** Words with which a server refuses a connection for good. */
const refusingWords: ReadonlySet<string> = new Set(['WRONGPASS', 'NOAUTH', 'NOPERM']);

/** True for errors of a connection: refused, closed, late. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error || error.name === 'MaxRetriesPerRequestError') return true;
  return /timed out|timeout|Connection is closed|isn't writeable/i.test(error.message);
}

/** Code of an error of the system, or its message, neither of which has credentials. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 200);
}

/**
 * The connections of this process to one Redis. A command fails at once while the server is known to be down, and within half a second
 * otherwise, so that no request waits for a dead or a hung server. A probe each second finds out when it is back. The log has one line
 * for an outage, and one for its end. Source: docs/decisions/0117.
 */
export class RedisLink implements AsyncDisposable {
  /** For single commands. Use `run`, which fails at once during an outage. */
  readonly commands: Redis;
  /** Number of the database: names of channels hold it, because channels belong to the whole server. */
  readonly database: number;
  readonly #options: LinkOptions;
  readonly #others = new Set<Redis>();
  readonly #listeners = new Set<(isUp: boolean) => void>();
  #isUp = false;
  #server: RedisServer | null = null;
  #detail: string | null = 'is not connected yet';
  #refusal: { readonly word: string; readonly at: number } | null = null;
  #errors = 0;
  /** Monotonic time at which an error that is none of the connection was told. */
  #strangeAt = -Infinity;
  /** Monotonic time at which the outage began; null: no outage was reported. */
  #downSince: number | null = null;
  #probing: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.commands = new Redis(options.url, {
      ...usual,
      enableOfflineQueue: false,
      commandTimeout: commandMs,
      maxRetriesPerRequest: 1,
      autoResendUnfulfilledCommands: false,
      socketTimeout: silenceMs,
    });
    this.database = this.commands.options.db ?? 0;
    this.commands.on('error', (error) => this.commandFailed(error));
    this.commands.on('close', () => {
      if (this.#isUp) this.#goDown('closed the connection');
    });
    this.commands.on('ready', () => void this.#probe());
    this.#timer = setInterval(() => void this.#probe(), probeMs).unref();
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** The server as it said at the last connection; null before the first one. */
  get server(): RedisServer | null {
    return this.#server;
  }

  /** True if the server refuses this process for good, as with a wrong password. */
  get isRefused(): boolean {
    return this.#refusal !== null && refusingWords.has(this.#refusal.word);
  }

  state(): RedisState {
    const refusal = this.#refusal;
    const recent = refusal !== null && performance.now() - refusal.at < refusalMs;
    const detail = recent ? `refuses commands: ${refusal.word}` : this.#detail;
    return { isUp: this.#isUp && !recent, detail, errors: this.#errors };
  }

  /** Calls the listener when an outage begins or ends. Returns a function that stops it. */
  onChange(listener: (isUp: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sends commands. Error: RedisDownError at once during an outage, else that of the command. */
  async run<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.#isUp) throw new RedisDownError(`Redis ${this.#detail ?? 'does not answer'}`);
    try {
      return await work(this.commands);
    } catch (error) {
      this.commandFailed(error);
      throw error;
    }
  }

  /** A connection of its own that waits for the server as long as it takes: for subscriptions and blocking commands. */
  connect(more: Options = {}): Redis {
    const made = new Redis(this.#options.url, { ...usual, maxRetriesPerRequest: null, ...more });
    made.on('error', (error) => this.failed(error));
    this.#others.add(made);
    made.once('end', () => this.#others.delete(made));
    return made;
  }

  /** Counts an error of a command of `commands`: no answer begins an outage. */
  commandFailed(error: unknown): void {
    if (this.#closed) return;
    if (replyWord(error) === null && isSilence(error)) {
      this.#errors += 1;
      this.#goDown(reasonOf(error));
    } else this.failed(error);
  }

  /** Counts an error of another connection, or of a library. The log tells it once in a while, unless there is an outage. */
  failed(error: unknown): void {
    if (this.#closed) return;
    this.#errors += 1;
    const word = replyWord(error);
    if (word !== null) this.#refused(word);
    else if (!isSilence(error) && performance.now() - this.#strangeAt >= refusalMs) {
      this.#strangeAt = performance.now();
      this.#options.logger.warn({ err: error }, 'a part that works through Redis failed');
    }
  }

  #refused(word: string): void {
    const before = this.#refusal;
    const now = performance.now();
    if (before?.word !== word || now - before.at >= refusalMs)
      this.#options.logger.error({ reply: word }, 'Redis refuses commands: the service goes on without them');
    this.#refusal = { word, at: now };
  }

  /** Resolves when the server answered, the first attempt failed, or `ms` are over. */
  async settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.onChange(() => resolve());
    const timer = setTimeout(resolve, ms);
    const failed = (): void => resolve();
    this.commands.on('error', failed);
    if (this.#isUp || this.#errors > 0) resolve();
    await promise;
    this.commands.off('error', failed);
    clearTimeout(timer);
    stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#listeners.clear();
    for (const other of this.#others) other.disconnect();
    // Commands that were sent before are answered before.
    if (this.#isUp) await this.commands.quit().catch(() => undefined);
    this.commands.disconnect();
  }

  #probe(): Promise<void> {
    this.#probing ??= this.#look().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  async #look(): Promise<void> {
    // Between two attempts to connect there is nothing to ask, and their errors are counted.
    if (this.#closed || this.commands.status !== 'ready') return;
    try {
      if (this.#isUp) await this.commands.ping();
      else this.#server = describeServer(await this.commands.info());
      this.#goUp();
    } catch (error) {
      this.commandFailed(error);
    }
  }

  #goUp(): void {
    if (this.#isUp || this.#closed) return;
    this.#isUp = true;
    this.#detail = null;
    const since = this.#downSince;
    this.#downSince = null;
    if (since !== null)
      this.#options.logger.info(
        { seconds: Math.round((performance.now() - since) / 100) / 10, errors: this.#errors },
        'Redis answers again',
      );
    for (const listener of this.#listeners) listener(true);
  }

  #goDown(reason: string): void {
    if (this.#closed) return;
    this.#detail = reason;
    if (this.#downSince === null) {
      this.#downSince = performance.now();
      this.#options.logger.error({ reason }, 'Redis does not answer: the service goes on without it');
    }
    if (!this.#isUp) return;
    this.#isUp = false;
    for (const listener of this.#listeners) listener(false);
  }
}
