import { closeSync, fdatasync, openSync } from 'node:fs';

/**
 * Makes commits durable off the engine's thread. A commit with `synchronous = NORMAL` has written its frames to the WAL; once a
 * later fdatasync of that file has ended, they survive power loss, as with FULL. One sync serves every commit made before it
 * started, so concurrent writers share it, and reads do not wait for the disk.
 */
export class WalSync {
  readonly #file: number;
  readonly #fail: (error: Error) => void;
  #waiting: (() => void)[] = [];
  #running = false;

  constructor(walPath: string, fail: (error: Error) => void) {
    this.#file = openSync(walPath, 'r+');
    this.#fail = fail;
  }

  /** Calls back once everything committed before this call is on disk. */
  afterSync(done: () => void): void {
    this.#waiting.push(done);
    if (!this.#running) this.#sync();
  }

  close(): void {
    closeSync(this.#file);
  }

  #sync(): void {
    const served = this.#waiting;
    this.#waiting = [];
    this.#running = true;
    fdatasync(this.#file, (error) => {
      this.#running = false;
      // After a failed sync the kernel may have dropped the pages: nothing may be acknowledged any more.
      if (error) return this.#fail(error);
      for (const done of served) done();
      if (this.#waiting.length > 0) this.#sync();
    });
  }
}
