import type { Socket } from 'node:net';
import type { Response } from 'express';
import { AppError } from '#src/domain/app-error.ts';

const mostIdle = 2;

/**
 * One open stream. It writes to the connection itself: the answer has no length and ends with its connection, so nothing has to be
 * added to a frame, and one buffer serves all readers.
 */
export class Reader {
  readonly organizationId: string;
  /** null: all of the organization. */
  readonly projectIds: ReadonlySet<string> | null;
  /** Number of the last event that it has, or does not want. */
  after = 0;
  readonly #response: Response;
  readonly #socket: Socket;
  readonly #maxBuffered: number;
  /** Bytes that had left at the last sign of life, while some waited; -1 while none did. */
  #left = -1;
  /** Signs of life in a row at which it had taken nothing. */
  #idle = 0;

  /** Answers with the head of the stream and `begin`. Error: `request.invalid` where the connection is busy with another answer. */
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
      throw new AppError('request.invalid', 'A stream needs a connection of its own: wait for the answer before.');
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

  /** Drops the reader when too much waits for it already; `bytes` are shared, and may be more than that. */
  write(bytes: Buffer): void {
    if (this.closed || bytes.length === 0) return;
    if (this.#socket.writableLength > this.#maxBuffered) this.#socket.destroy();
    else this.#socket.write(bytes);
  }

  /** A sign of life. Drops a reader that took nothing of what waits for it between three of them. */
  ping(bytes: Buffer): void {
    const socket = this.#socket;
    const waiting = socket.writableLength;
    const left = waiting === 0 ? -1 : socket.bytesWritten - waiting;
    this.#idle = left >= 0 && left === this.#left ? this.#idle + 1 : 0;
    this.#left = left;
    if (this.#idle >= mostIdle) socket.destroy();
    else this.write(bytes);
  }

  /** Settles when the reader took what waits for it, or is gone. */
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
