import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as forwardSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Stands before an S3 service, and answers 503 in its place while it is broken. The service has to accept signatures for the address of this
 * line, as services do that know no host names.
 */
export class S3Line implements AsyncDisposable {
  readonly #target: URL;
  readonly #server = createServer((request, response) => this.#pass(request, response));
  #isBroken = false;
  #refused = 0;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  /** Requests that were answered with 503. */
  get refused(): number {
    return this.#refused;
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async breakFor(ms: number): Promise<void> {
    this.#isBroken = true;
    await pause(ms);
    this.#isBroken = false;
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isBroken) {
      this.#refused += 1;
      request.resume();
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    const { method, url, headers } = request;
    const { protocol, hostname, port } = this.#target;
    const options = { hostname, port, method, path: url, headers };
    const onward = (protocol === 'https:' ? forwardSecurely : forward)(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response).on('close', () => answer.destroy());
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
