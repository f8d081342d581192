import type { Socket } from 'node:net';
import type { Response } from 'express';
import { AppError } from '#src/domain/app-error.ts';

const mostIdle = 2;

/**
 * One open stream. It writes to the socket directly: the response has no length and ends with its connection, so frames need no chunk
 * headers and one buffer serves all readers.
 */
export class Reader {
  readonly organizationId: string;
  /** null: all of the organization. */
  readonly projectIds: ReadonlySet<string> | null;
  /** Number of the last event that it received or did not subscribe to. */
  after = 0;
  readonly #response: Response;
  readonly #socket: Socket;
  readonly #maxBuffered: number;
  /** Bytes sent by the last ping while some were buffered; -1 while none were. */
  #left = -1;
  /** Consecutive pings at which the reader had taken nothing. */
  #idle = 0;

  /** Sends the headers and `begin`. Error: `request.invalid` when the connection is busy with another response. */
  constructor(
    response: Response,
    begin: string,
    {
      organizationId,
      projectIds,
      maxBuffered,
    }: Pick<Reader, 'organizationId' | 'projectIds'> & { maxBuffered: number },
  ) {
    const { socket } = response;
    if (socket === null)
      throw new AppError(
        'request.invalid',
        'A stream needs a connection of its own. Wait for the previous response, or open another connection.',
      );
    this.organizationId = organizationId;
    this.projectIds = projectIds;
    this.#response = response;
    this.#socket = socket;
    this.#maxBuffered = maxBuffered;
    response.useChunkedEncodingByDefault = false;
    response.status(200).set({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    response.write(begin);
  }

  get closed(): boolean {
    return this.#socket.destroyed || this.#response.writableEnded;
  }

  /** Drops the reader when its buffer is full already. `bytes` is shared and may be larger than the limit. */
  write(bytes: Buffer): void {
    if (this.closed || bytes.length === 0) return;
    if (this.#socket.writableLength > this.#maxBuffered) this.#socket.destroy();
    else this.#socket.write(bytes);
  }

  /** Sends a ping. Drops a reader that took none of its buffer during three pings. */
  ping(bytes: Buffer): void {
    const socket = this.#socket;
    const waiting = socket.writableLength;
    const left = waiting === 0 ? -1 : socket.bytesWritten - waiting;
    this.#idle = left >= 0 && left === this.#left ? this.#idle + 1 : 0;
    this.#left = left;
    if (this.#idle >= mostIdle) socket.destroy();
    else this.write(bytes);
  }

  /** Resolves when the reader's buffer is empty, or the reader is gone. */
  async drained(): Promise<void> {
    const socket = this.#socket;
    if (this.closed || !socket.writableNeedDrain) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.once('drain', resolve).once('close', resolve);
    await promise;
    socket.off('drain', resolve).off('close', resolve);
  }

  end(): void {
    this.#response.end();
  }
}
