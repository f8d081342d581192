import { closeSync, fdatasync, openSync } from 'node:fs';

/**
 * Makes commits durable off the engine's thread. A commit with `synchronous = NORMAL` has written its frames to the WAL; once a
 * later fdatasync of that file has ended, they survive power loss, as with FULL, while reads did not wait for the disk.
 */
export class WalSync {
  readonly #file: number;
  readonly #fail: (error: Error) => void;

  constructor(walPath: string, fail: (error: Error) => void) {
    this.#file = openSync(walPath, 'r+');
    this.#fail = fail;
  }

  /** Calls back once everything committed before this call is on disk. */
  afterSync(done: () => void): void {
    // After a failed sync the kernel may have dropped the pages: nothing may be acknowledged any more.
    fdatasync(this.#file, (error) => (error ? this.#fail(error) : done()));
  }

  close(): void {
    closeSync(this.#file);
  }
}
