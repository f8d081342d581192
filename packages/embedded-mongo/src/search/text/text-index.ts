import type { Document } from '../../bson/value.ts';
import type { Database } from '../../storage/database.ts';
import { keysOf, parseDefinition, textsOf } from './fields.ts';
import { rewrite, Writer } from './postings.ts';
import { View } from './view.ts';
import { createSegmentCache, loadPostings, openBlock, ROWS } from './segment.ts';
import { type WaitingRow, WaitingRows } from './waiting.ts';

/**
 * Entries of a row, by field: its terms, and for each term in turn its count and, for a word, its places. The
 * term '' stands for having the field at all, as often as it has words.
 */
type Entries = [field: number, terms: string[], numbers: number[]][];

const MAX_WAITING = 512;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY = 32;
const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * An index of type search, kept in the same transaction as its documents. `s<id>` holds postings by block of 4096 rows, so that a
 * term of a block is one look-up and new documents touch one block only. What is written waits in `s<id>w`, a row for each
 * document, until 512 of them are entered into the blocks at once. Each state of a block or a waiting row has a number that is
 * never used again, not after a rollback either: what a search keeps in memory by that number cannot be out of date.
 */
export class TextIndex {
  readonly type = 'search';
  readonly id: number;
  readonly name: string;
  readonly definition: Document;
  readonly mapping: ReturnType<typeof parseDefinition>;
  readonly #database: Database;
  readonly #table: string;
  readonly #cache = createSegmentCache(CACHE_BYTES);
  readonly #waiting = new WaitingRows();
  #view: { state: string; view: View } | undefined;
  #version: number | undefined;
  #writes = 0;

  constructor(database: Database, id: number, name: string, definition: Document) {
    this.#database = database;
    this.#table = `s${id}`;
    this.id = id;
    this.name = name;
    this.definition = definition;
    this.mapping = parseDefinition(definition);
  }

  create(): void {
    this.#database.exec(
      `CREATE TABLE ${this.#table} (b INTEGER, f INTEGER, t TEXT, p BLOB NOT NULL, o BLOB NOT NULL, PRIMARY KEY (b, f, t)) WITHOUT ROWID;
      CREATE TABLE ${this.#table}b (b INTEGER PRIMARY KEY, v INTEGER NOT NULL);
      CREATE TABLE ${this.#table}w (r INTEGER PRIMARY KEY, v INTEGER NOT NULL, was TEXT, now TEXT)`,
    );
  }

  drop(): void {
    for (const end of ['', 'b', 'w']) this.#database.exec(`DROP TABLE IF EXISTS ${this.#table}${end}`);
  }

  add(row: number, doc: Document): void {
    this.#write(row, undefined, this.#valuesOf(doc));
  }

  replace(row: number, before: Document, after: Document): void {
    const [was, now] = [this.#valuesOf(before), this.#valuesOf(after)];
    if (JSON.stringify(was) !== JSON.stringify(now)) this.#write(row, was, now);
  }

  remove(row: number, doc: Document): void {
    this.#write(row, this.#valuesOf(doc), undefined);
  }

  /** Number of words in each text field of the document, as the index must have it for the row. */
  wordsOf(doc: Document): number[] {
    return this.mapping.texts.map((field) => {
      let count = 0;
      const visit = (): number => count++;
      for (const text of textsOf(doc, field)) field.analyze(text, 0, visit);
      return count;
    });
  }

  /**
   * The index as it is at this moment; what is read from it later is still of this moment. The same one as before while nothing has changed:
   * it keeps what earlier searches worked out. The highest number tells, since each change has a higher one, and the count tells of rows that got lost.
   */
  view(): View {
    const state = this.#state().join();
    if (this.#view?.state !== state) this.#view = { state, view: this.#open() };
    return this.#view.view;
  }

  #open(): View {
    const held = this.#database.all(`SELECT r, v FROM ${this.#table}w`) as [row: number, version: number][];
    const entered = this.#database.all(`SELECT b, v FROM ${this.#table}b`) as [block: number, version: number][];
    const dead = new Map<number, Uint8Array>();
    for (const [row] of held) {
      const block = Math.floor(row / ROWS);
      const rows = dead.get(block) ?? new Uint8Array(ROWS);
      rows[row % ROWS] = 1;
      dead.set(block, rows);
    }
    const waiting = this.#waiting.open(held, (row) => this.#read(row));
    const table = this.#table;
    const blocks = entered.map(([block, version]) => ({ block, version, dead: dead.get(block) }));
    const opened = blocks.map((block) => openBlock(this.#database, this.#cache, { ...block, table }));
    const segments = waiting ? [...opened, waiting] : opened;
    return new View(this.mapping, segments, loadPostings(this.#database, this.#cache, { table, blocks }));
  }

  #read(row: number): WaitingRow['fields'] {
    const fields: WaitingRow['fields'] = new Map();
    const now = this.#database.get(`SELECT now FROM ${this.#table}w WHERE r = ?`, row)?.[0];
    for (const [field, term, numbers, from] of this.#termsOf(now)) {
      const held = fields.get(field) ?? { terms: new Map<string, number>(), numbers };
      held.terms.set(term, from);
      fields.set(field, held);
    }
    return fields;
  }

  /** The terms of stored entries, each with its field and where in that field's numbers its own are. */
  *#termsOf(json: unknown): Generator<[field: number, term: string, numbers: number[], from: number, to: number]> {
    for (const [field, terms, numbers] of JSON.parse((json ?? '[]') as string) as Entries) {
      let from = 0;
      for (const term of terms) {
        const to = from + 1 + (this.#hasPlaces(field, term) ? (numbers[from] as number) : 0);
        yield [field, term, numbers, from, to];
        from = to;
      }
    }
  }

  #hasPlaces(field: number, term: string): boolean {
    return field < this.mapping.texts.length && term !== '';
  }

  /** The strings of the text fields, then the keys of the exact ones. */
  #valuesOf(doc: Document): string[][] {
    const { texts, exact } = this.mapping;
    return [...texts.map((field) => textsOf(doc, field)), ...exact.map((field) => keysOf(doc, field))];
  }

  #entriesOf(values: readonly string[][] | undefined): string | null {
    const entries = values?.flatMap((list, field): Entries => {
      const { analyze } = this.mapping.texts[field] ?? {};
      if (list.length === 0) return [];
      if (!analyze) return [[field, list, list.map(() => 1)]];
      const terms = new Map<string, number[]>();
      let [words, place] = [0, 0];
      const visit = (term: string, at: number): void => {
        words++;
        const places = terms.get(term);
        if (places) places.push(at);
        else terms.set(term, [at]);
      };
      for (const text of list) place = analyze(text, place, visit);
      const numbers = [words];
      for (const places of terms.values()) {
        numbers.push(places.length);
        for (const at of places) numbers.push(at);
      }
      return words === 0 ? [] : [[field, ['', ...terms.keys()], numbers]];
    });
    return entries ? JSON.stringify(entries) : null;
  }

  #write(row: number, was: string[][] | undefined, now: string[][] | undefined): void {
    const [version, entries] = [this.#nextVersion(), this.#entriesOf(now)];
    // A row that waits already keeps what the blocks hold of it.
    const update = `UPDATE ${this.#table}w SET v = ?, now = ? WHERE r = ?`;
    const insert = `INSERT INTO ${this.#table}w (r, v, was, now) VALUES (?, ?, ?, ?)`;
    if (this.#database.run(update, version, entries, row) === 0)
      this.#database.run(insert, row, version, this.#entriesOf(was), entries);
    if (++this.#writes % CHECK_EVERY > 0 && (entries?.length ?? 0) < MAX_WAITING_BYTES / CHECK_EVERY) return;
    const [rows, bytes] = this.#database.get(`SELECT count(*), sum(octet_length(now)) FROM ${this.#table}w`) ?? [];
    if (Number(rows) >= MAX_WAITING || Number(bytes) >= MAX_WAITING_BYTES) this.#enter();
  }

  /** Greater than any that there is or was: the clock stands in for those that were rolled back before this process. */
  #nextVersion(): number {
    this.#version ??= Math.max(Date.now() * 1000, this.#state()[0]);
    return ++this.#version;
  }

  #state(): [version: number, rows: number] {
    const [b, w] = ['b', 'w'].map((end) => `SELECT max(v) AS v, count(*) AS n FROM ${this.#table}${end}`);
    const [version, rows] = this.#database.get(`SELECT max(v), sum(n) FROM (${b} UNION ALL ${w})`) ?? [];
    return [Number(version), Number(rows)];
  }

  /** Enters the waiting rows into their blocks. */
  #enter(): void {
    const blocks = new Map<number, { dropped: Uint8Array; changes: Map<string, number[]> }>();
    for (const [row, was, now] of this.#database.all(`SELECT r, was, now FROM ${this.#table}w ORDER BY r`)) {
      const number = Math.floor(Number(row) / ROWS);
      const block = blocks.get(number) ?? { dropped: new Uint8Array(ROWS), changes: new Map<string, number[]>() };
      blocks.set(number, block);
      block.dropped[Number(row) % ROWS] = 1;
      const changeOf = (field: number, term: string): number[] => {
        const key = String.fromCharCode(field) + term;
        let change = block.changes.get(key);
        if (!change) block.changes.set(key, (change = []));
        return change;
      };
      for (const [field, term] of this.#termsOf(was)) changeOf(field, term);
      for (const [field, term, numbers, from, to] of this.#termsOf(now)) {
        const change = changeOf(field, term);
        change.push(Number(row) % ROWS);
        for (let at = from; at < to; at++) change.push(numbers[at] as number);
      }
    }
    for (const [number, { dropped, changes }] of blocks) this.#change(number, dropped, changes);
    this.#database.run(`DELETE FROM ${this.#table}w`);
  }

  /** `changes` has what is to be added, by field and term; an empty list where there is only something to be dropped. */
  #change(block: number, dropped: Uint8Array, changes: ReadonlyMap<string, number[]>): void {
    const is = 'b = ? AND f = ? AND t = ?';
    const [rows, places] = [new Writer(), new Writer()];
    for (const key of [...changes.keys()].toSorted()) {
      const [field, term] = [key.charCodeAt(0), key.slice(1)];
      const held = this.#database.get(`SELECT p, o FROM ${this.#table} WHERE ${is}`, block, field, term);
      const change = { dropped, added: changes.get(key) ?? [], hasPlaces: this.#hasPlaces(field, term) };
      rewrite((held ?? []) as [], change, [rows, places]);
      const made = [rows.take(), places.take(), block, field, term] as const;
      if (made[0].length === 0) this.#database.run(`DELETE FROM ${this.#table} WHERE ${is}`, block, field, term);
      else if (held) this.#database.run(`UPDATE ${this.#table} SET p = ?, o = ? WHERE ${is}`, ...made);
      else this.#database.run(`INSERT INTO ${this.#table} (p, o, b, f, t) VALUES (?, ?, ?, ?, ?)`, ...made);
    }
    this.#database.run(`INSERT OR REPLACE INTO ${this.#table}b (b, v) VALUES (?, ?)`, block, this.#nextVersion());
  }
}
