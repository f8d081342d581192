import { once } from 'node:events';
import { Agent, createServer, get, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export interface Target {
  /** Address that requests go to. */
  readonly url: string;
  /** Address that says whether they may: 200. */
  readonly readyUrl: string;
}

interface Member extends Target {
  readonly agent: Agent;
  isReady: boolean;
  /** Time at which the question was sent whose answer is known. */
  knownAt: number;
  /** Questions in a row that were not answered in time. */
  late: number;
}

const askEveryMs = 200;
const lateMs = 4_000;
/** A busy process is slow to answer: it is left out after this many late answers in a row, as platforms do. */
const mostLate = 3;

/** Asks over a connection of its own. null: no answer in time. */
async function readiness(url: string): Promise<boolean | null> {
  const request = get(url, { agent: false, timeout: lateMs });
  let isLate = false;
  request.once('timeout', () => {
    isLate = true;
    request.destroy(new Error('late'));
  });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return isLate ? null : false;
  }
}

/**
 * Passes each request to the next process that is ready, over connections that are kept. A request goes to another process only if the first
 * one refused the connection, or ended one that had been used before without a byte of an answer; both are counted.
 */
export class Balancer implements AsyncDisposable {
  readonly #members: readonly Member[];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #ended = new AbortController();
  #asking: Promise<unknown> = Promise.resolve();
  #turn = 0;
  #refused = 0;
  #reset = 0;

  constructor(targets: readonly Target[]) {
    this.#members = targets.map((target) => ({
      ...target,
      agent: new Agent({ keepAlive: true }),
      isReady: false,
      knownAt: 0,
      late: 0,
    }));
  }

  /** Requests that went to a second process because the first one refused the connection. */
  get refused(): number {
    return this.#refused;
  }

  /** Requests that went to a second process because the first one ended the kept connection. */
  get reset(): number {
    return this.#reset;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Begins to ask the processes. Resolves when all are ready. */
  async start(): Promise<void> {
    this.#asking = Promise.all(this.#members.map((member) => this.#ask(member)));
    await this.allReady();
  }

  async allReady(): Promise<void> {
    while (!this.#members.every((member) => member.isReady)) await pause(askEveryMs);
  }

  /** Asks on and on. A slow answer does not hold up the next question. */
  async #ask(member: Member): Promise<void> {
    const open = new Set<Promise<void>>();
    while (!this.#ended.signal.aborted) {
      const asked = this.#learn(member, performance.now()).finally(() => open.delete(asked));
      open.add(asked);
      await pause(askEveryMs);
    }
    await Promise.all(open);
  }

  async #learn(member: Member, askedAt: number): Promise<void> {
    const isReady = await readiness(member.readyUrl);
    if (askedAt < member.knownAt) return;
    member.knownAt = askedAt;
    member.late = isReady === null ? member.late + 1 : 0;
    if (isReady !== null || member.late >= mostLate) member.isReady = isReady === true;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Kept for another process: bodies here are small.
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const tried = new Set<Member>();
    for (;;) {
      const member = this.#next(tried);
      if (member === undefined) return void response.writeHead(502).end('no process is ready');
      tried.add(member);
      const outcome = await this.#pass({ request, response, body }, member);
      if (outcome === 'passed') return;
      if (outcome === 'refused') this.#refused += 1;
      else this.#reset += 1;
    }
  }

  #next(tried: ReadonlySet<Member>): Member | undefined {
    this.#turn += 1;
    const ready = this.#members.filter((member) => member.isReady && !tried.has(member));
    return ready[this.#turn % ready.length];
  }

  /** Resolves when the answer has ended, or with the reason for which another process may be asked. */
  async #pass(
    { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: Buffer },
    { url, agent }: Member,
  ): Promise<'passed' | 'refused' | 'reset'> {
    const { method = 'GET', url: path = '/', headers } = request;
    const { 'transfer-encoding': _chunked, connection: _connection, ...passed } = headers;
    const onward = forward(new URL(path, url), { method, agent, headers: passed });
    const left = (): void => void onward.destroy();
    response.once('close', left);
    const { promise, resolve } = Promise.withResolvers<'passed' | 'refused' | 'reset'>();
    onward.once('response', (answer) => {
      const { connection: _own, 'keep-alive': _times, 'transfer-encoding': _form, ...told } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, told);
      // The first bytes of a stream may be far away.
      response.flushHeaders();
      answer.pipe(response);
      answer.once('error', () => response.destroy());
      answer.once('close', () => resolve('passed'));
    });
    onward.once('error', (error: NodeJS.ErrnoException) => {
      response.off('close', left);
      if (response.headersSent) response.destroy();
      else if (error.code === 'ECONNREFUSED') resolve('refused');
      else if (onward.reusedSocket && error.code === 'ECONNRESET') resolve('reset');
      else if (!response.destroyed) response.writeHead(502).end(`the process broke the connection: ${String(error)}`);
      resolve('passed');
    });
    onward.end(body);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#asking;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    for (const { agent } of this.#members) agent.destroy();
  }
}
