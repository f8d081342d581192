import { statfs } from 'node:fs/promises';

import { AppError } from '#src/domain/app-error.ts';
import type { DiskState } from '#src/domain/ports/object-store.ts';

export interface DiskSpaceOptions {
  /** Folder on the file system to watch. */
  readonly path: string;
  /** Bytes that stay free for the database; null: 1 GiB, or 2 % of a smaller disk; 0: no limit. */
  readonly minFreeBytes: number | null;
  /** Called at most once a minute while uploads are refused. */
  readonly onFull?: (state: DiskState) => void;
  /** Size of the file system and what is free for us, in bytes. Default: asks the system. */
  readonly measure?: (path: string) => Promise<{ totalBytes: number; freeBytes: number }>;
}

const freshMs = 1_000;
const noticeMs = 60_000;
const usualBytes = 1024 ** 3;
const usualShare = 0.02;

async function measureDisk(path: string): Promise<{ totalBytes: number; freeBytes: number }> {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
}

/** Refuses uploads before the disk is full: the database on it needs room for results. Asks the system at most once a second. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  #latest: { readonly at: number; readonly state: Promise<DiskState> } | null = null;
  #noticedAt = Number.NEGATIVE_INFINITY;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  state(): Promise<DiskState> {
    const now = performance.now();
    if (this.#latest === null || now - this.#latest.at > freshMs) this.#latest = { at: now, state: this.#measure() };
    return this.#latest.state;
  }

  /** Throws `storage.full` when less than the reserve would stay free after `bytes` more. */
  async assertRoom(bytes: number): Promise<void> {
    const state = await this.state();
    if (state.minFreeBytes === 0 || state.freeBytes - bytes >= state.minFreeBytes) return;
    const now = performance.now();
    if (now - this.#noticedAt >= noticeMs) {
      this.#noticedAt = now;
      this.#options.onFull?.(state);
    }
    throw new AppError('storage.full', 'The service has no room for this file now. Retry in 60 seconds.', {
      retryAfterSeconds: 60,
    });
  }

  async #measure(): Promise<DiskState> {
    const { path, minFreeBytes, measure = measureDisk } = this.#options;
    const { totalBytes, freeBytes } = await measure(path);
    return { freeBytes, minFreeBytes: minFreeBytes ?? Math.min(usualBytes, Math.floor(totalBytes * usualShare)) };
  }
}
