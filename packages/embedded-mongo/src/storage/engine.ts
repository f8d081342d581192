import { join } from 'node:path';
import type { Document } from '../bson/value.ts';
import { CommandError, CommandYielded } from '../errors.ts';
import { Cursors } from '../plan/cursors.ts';
import { Catalog } from './catalog.ts';
import { Database } from './database.ts';
import { WalSync } from './wal-sync.ts';

export interface Job {
  write: boolean;
  /** True when the reply must wait until the write is on disk. */
  durable: boolean;
  /** Time limit once the job runs. 0 means no limit. */
  maxTimeMS?: number;
  /** When that is over, in the time of `performance.now()`. */
  deadline?: number;
  run(): Document;
  done(reply: Document): void;
  failed(error: Error): void;
}

/**
 * Runs commands in batches: all that arrived by one turn of the event loop share one transaction, and each of several
 * writing commands is a savepoint in it. Results leave after the commit, durable ones after the disk has it.
 */
export class Engine {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly cursors: Cursors;
  readonly #wal: WalSync;
  readonly #fail: (error: Error) => void;
  #queue: Job[] = [];
  /** Durable writes that arrived during a sync: they share the next commit and the next sync. */
  #held: Job[] = [];
  #scheduled = false;
  #syncing = false;
  #closing: (() => void) | undefined;

  constructor(folder: string, fail: (error: Error) => void) {
    this.#fail = fail;
    this.database = new Database(join(folder, 'inkgraph.sqlite'));
    this.catalog = new Catalog(this.database);
    this.cursors = new Cursors(this.database);
    this.#wal = new WalSync(`${this.database.path}-wal`, fail);
  }

  submit(job: Job): void {
    if (this.#closing) return job.failed(new CommandError(11601, 'The embedded engine is shutting down'));
    if (job.durable && this.#syncing) this.#held.push(job);
    else this.#enqueue(job);
  }

  /** Finishes what was submitted, then writes everything into the main file. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      this.#settle();
    });
    this.#wal.close();
    this.database.close();
  }

  #runBatch(): void {
    this.#scheduled = false;
    const jobs = this.#queue;
    this.#queue = [];
    const answers: (() => void)[] = [];
    const durable: (() => void)[] = [];
    const writes = jobs.filter((job) => job.write).length;
    try {
      if (writes > 0) this.database.run('BEGIN IMMEDIATE');
      for (const job of jobs) (job.durable ? durable : answers).push(this.#runJob(job, writes === 1));
      if (writes > 0) this.#commit();
      this.database.vectors.settle(true);
    } catch (error) {
      this.#abandon(jobs, error as Error);
      return;
    }
    for (const answer of answers) answer();
    if (durable.length === 0) return this.#settle();
    this.#syncing = true;
    this.database.work.syncs++;
    this.#wal.afterSync(() => {
      this.#syncing = false;
      for (const answer of durable) answer();
      this.#queue.push(...this.#held.splice(0));
      if (this.#queue.length > 0) this.#schedule();
      else this.#settle();
    });
  }

  #commit(): void {
    this.database.run('COMMIT');
    this.database.work.commits++;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#runBatch());
  }

  /** The only write of a batch needs no savepoint: the transaction is its own. */
  #runJob(job: Job, alone: boolean): () => void {
    const { database } = this;
    try {
      database.deadline = job.deadline ??= job.maxTimeMS ? performance.now() + job.maxTimeMS : Infinity;
      database.mayPause = !job.write;
      database.catalogChanged = false;
      if (job.write && !alone) database.run('SAVEPOINT command');
      const reply = job.run();
      if (job.write && !alone) database.run('RELEASE command');
      return () => job.done(reply);
    } catch (error) {
      if (isDamage(error) || (job.write && !database.inTransaction)) throw error;
      if (error instanceof CommandYielded) return () => this.#enqueue(job);
      if (job.write) database.exec(alone ? 'ROLLBACK; BEGIN IMMEDIATE' : 'ROLLBACK TO command; RELEASE command');
      if (job.write) database.vectors.settle(false);
      if (database.catalogChanged) this.catalog.reload();
      return () => job.failed(error as Error);
    }
  }

  #enqueue(job: Job): void {
    this.#queue.push(job);
    this.#schedule();
  }

  /** The commit itself failed (a full disk, say): nothing of the batch happened and every client is told so. */
  #abandon(jobs: readonly Job[], error: Error): void {
    try {
      this.database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself.
    }
    for (const job of jobs) job.failed(error);
    if (isDamage(error)) return this.#fail(error);
    this.database.vectors.settle(false);
    this.catalog.reload('everything');
    this.#settle();
  }

  #settle(): void {
    if (!this.#scheduled && !this.#syncing) this.#closing?.();
  }
}

/** SQLITE_CORRUPT, SQLITE_NOTADB and SQLITE_IOERR: going on would only make it worse. */
function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code !== undefined && [10, 11, 26].includes(code & 0xff);
}
