import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { CommandError } from '../errors.ts';
import { VectorCaches } from '../search/vector/caches.ts';
import { Work } from './work.ts';

type Value = number | string | Uint8Array | null;
export type SqlRow = (number | string | Uint8Array | null)[];

/** A running SELECT. Close it before the command ends: an open statement would hold old pages and block schema changes. */
export interface RowIterator {
  next(): SqlRow | undefined;
  close(): void;
}

const QUICK_CHECK_LIMIT = 16 * 1024 * 1024;
const MAX_STATEMENTS = 1000;

/** One SQLite file: prepared statements are kept and lent out, one run at a time each. */
export class Database {
  readonly path: string;
  readonly readOnly: boolean;
  /** When the running command must have ended, in the time of `performance.now()`. */
  deadline = Infinity;
  /** True while the running command may end with `CommandYielded`: it has changed nothing and can run again. */
  mayPause = false;
  /** The running command changed what the catalog keeps in memory: rolling it back takes reading that again. */
  catalogChanged = false;
  /** The vectors that searches hold in memory. */
  readonly vectors = new VectorCaches();
  readonly work = new Work();
  readonly #sqlite: DatabaseSync;
  readonly #idle = new Map<string, StatementSync[]>();
  /** Rows of work done so far. */
  ticks = 0;

  constructor(path: string, readOnly = false) {
    this.path = path;
    this.readOnly = readOnly;
    try {
      this.#sqlite = new DatabaseSync(path, { timeout: 5000, readOnly });
      this.exec(`PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;
        PRAGMA trusted_schema = OFF`);
      this.#refuseForeign();
      if (readOnly) return;
      // Acknowledged writes are made durable by WalSync, so that a commit never waits for the disk on this thread.
      // Order matters: for a new file only, and before its first table. Free pages can then leave the file.
      this
        .exec(`PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA fullfsync = 1;
        PRAGMA checkpoint_fullfsync = 1; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864`);
      this.#refuseDamage();
    } catch (error) {
      throw damaged(path, error as Error);
    }
  }

  /** SQLite ends a transaction by itself when the disk, or memory, has no room for it. */
  get inTransaction(): boolean {
    return this.#sqlite.isTransaction;
  }

  exec(sql: string): void {
    this.#sqlite.exec(sql);
  }

  run(sql: string, ...params: Value[]): number {
    const changes = this.#use(sql, (statement) => Number(statement.run(...params).changes));
    // A statement without values, such as COMMIT, reports the changes of the one before.
    if (params.length > 0) this.work.changed(changes, params);
    return changes;
  }

  insert(sql: string, ...params: Value[]): number {
    const row = this.#use(sql, (statement) => Number(statement.run(...params).lastInsertRowid));
    this.work.changed(1, params);
    return row;
  }

  get(sql: string, ...params: Value[]): SqlRow | undefined {
    return this.#use(sql, (statement) => statement.get(...params) as SqlRow | undefined);
  }

  all<Row extends SqlRow = SqlRow>(sql: string, ...params: Value[]): Row[] {
    return this.#use(sql, (statement) => statement.all(...params) as unknown as Row[]);
  }

  iterate(sql: string, ...params: Value[]): RowIterator {
    const statement = this.#take(sql);
    const rows = statement.iterate(...params) as unknown as Iterator<SqlRow>;
    let open = true;
    const close = (): void => {
      if (!open) return;
      open = false;
      rows.return?.();
      this.#give(sql, statement);
    };
    return {
      next: () => {
        if (!open) return undefined;
        const step = rows.next();
        if (!step.done) return step.value;
        close();
        return undefined;
      },
      close,
    };
  }

  /** To be called for every row of work that can take long: ends a command that has used up its time. */
  tick(): void {
    if ((++this.ticks & 127) === 0 && performance.now() > this.deadline)
      throw new CommandError(50, 'operation exceeded time limit');
  }

  /** Pages of the file, and those of them that hold nothing. */
  pages(): { total: number; free: number } {
    const [total] = this.get('PRAGMA page_count') ?? [];
    const [free] = this.get('PRAGMA freelist_count') ?? [];
    return { total: Number(total), free: Number(free) };
  }

  /** Takes up to `pages` free pages off the file, if it was made for that: files of older versions need a compaction first. */
  shrink(pages: number): void {
    if (this.get('PRAGMA auto_vacuum')?.[0] === 2) this.exec(`PRAGMA incremental_vacuum(${pages})`);
  }

  /** Tables changed: statements over dropped ones must not come back. */
  forgetStatements(): void {
    this.#idle.clear();
  }

  close(): void {
    this.forgetStatements();
    if (!this.readOnly) this.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#sqlite.close();
  }

  #use<T>(sql: string, body: (statement: StatementSync) => T): T {
    const statement = this.#take(sql);
    try {
      return body(statement);
    } finally {
      this.#give(sql, statement);
    }
  }

  #take(sql: string): StatementSync {
    const idle = this.#idle.get(sql)?.pop();
    if (idle) return idle;
    const statement = this.#sqlite.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  #give(sql: string, statement: StatementSync): void {
    const idle = this.#idle.get(sql);
    if (!idle) {
      if (this.#idle.size >= MAX_STATEMENTS) this.#idle.clear();
      this.#idle.set(sql, [statement]);
    } else if (idle.length < 4) idle.push(statement);
  }

  /** Reading the schema also finds a file that SQLite did not write, or that is cut short. */
  #refuseForeign(): void {
    const names = this.all('SELECT name FROM sqlite_schema').flat();
    if (names.length > 0 && !names.includes('collections')) throw new Error('it is a database of another program');
  }

  /** The page-by-page check is kept to files it takes well under a second for. */
  #refuseDamage(): void {
    const [pages] = this.get('PRAGMA page_count') ?? [];
    const [pageSize] = this.get('PRAGMA page_size') ?? [];
    const size = Number(pages) * Number(pageSize);
    const verdict = size <= QUICK_CHECK_LIMIT ? this.get('PRAGMA quick_check(1)')?.[0] : 'ok';
    if (verdict !== 'ok') throw new Error(String(verdict));
  }
}

function damaged(path: string, cause: Error): Error {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return new Error(
    `The embedded database ${path} (${size} bytes) cannot be opened: ${cause.message}. It was left as it is. ` +
      `Restore it from a backup, or move it away together with its -wal and -shm files to start with an empty one.`,
    { cause },
  );
}
