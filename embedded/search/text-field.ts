import type { Database } from '../storage/database.ts';
import type { Analyzer } from './definition.ts';

const TOKENIZERS: Readonly<Record<Analyzer, string>> = {
  english: 'porter unicode61 remove_diacritics 2',
  standard: 'unicode61 remove_diacritics 2',
};

export interface Posting {
  row: number;
  frequency: number;
  /** Terms in the row's text. */
  length: number;
}

/**
 * The inverted index of one text field: an FTS5 table that keeps no text, read through its vocabulary, so a user's words are
 * never parsed as FTS5's query language.
 */
export class TextField {
  readonly path: string;
  readonly parts: readonly string[];
  readonly #analyzer: Analyzer;
  readonly #database: Database;
  readonly #table: string;
  /** Lengths read so far, and once a fuzzy query asked for them, all terms: dropped with the catalog on a rollback. */
  readonly #lengths = new Map<number, number>();
  #terms: Set<string> | undefined;

  constructor(database: Database, table: string, path: string, analyzer: Analyzer) {
    this.#database = database;
    this.#table = table;
    this.path = path;
    this.parts = path.split('.');
    this.#analyzer = analyzer;
  }

  create(): void {
    this.#database
      .exec(`CREATE VIRTUAL TABLE ${this.#table} USING fts5(t, content='', contentless_delete=1, tokenize='${TOKENIZERS[this.#analyzer]}');
      CREATE VIRTUAL TABLE ${this.#table}v USING fts5vocab('${this.#table}', 'instance');
      CREATE VIRTUAL TABLE ${this.#table}r USING fts5vocab('${this.#table}', 'row')`);
  }

  drop(): void {
    this.#database.exec(`DROP TABLE ${this.#table}v; DROP TABLE ${this.#table}r; DROP TABLE ${this.#table}`);
  }

  add(row: number, text: string): void {
    if (text === '') return;
    this.#lengths.delete(row);
    this.#database.run(`INSERT INTO ${this.#table} (rowid, t) VALUES (?, ?)`, row, text);
    if (this.#terms) for (const term of this.analyze(text)) this.#terms.add(term);
  }

  remove(row: number, text: string): void {
    if (text === '') return;
    this.#lengths.delete(row);
    this.#database.run(`DELETE FROM ${this.#table} WHERE rowid = ?`, row);
  }

  /** How many rows have this field, and how many terms theirs hold on average. */
  size(): { rows: number; average: number } {
    const block = this.#database.get(`SELECT block FROM ${this.#table}_data WHERE id = 1`)?.[0];
    const [rows = 0, terms = 0] = block instanceof Uint8Array ? varints(block) : [];
    return { rows, average: rows === 0 ? 0 : terms / rows };
  }

  postings(term: string): Posting[] {
    return this.#database
      .all(`SELECT doc, count(*) FROM ${this.#table}v WHERE term = ? GROUP BY doc`, term)
      .map(([row, frequency]) => ({
        row: row as number,
        frequency: frequency as number,
        length: this.length(row as number),
      }));
  }

  /** Where the term stands, by row. */
  positions(term: string): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const [row, offset] of this.#database.all(`SELECT doc, offset FROM ${this.#table}v WHERE term = ?`, term)) {
      const places = found.get(row as number);
      if (places) places.push(offset as number);
      else found.set(row as number, [offset as number]);
    }
    return found;
  }

  length(row: number): number {
    let length = this.#lengths.get(row);
    if (length === undefined) {
      const size = this.#database.get(`SELECT sz FROM ${this.#table}_docsize WHERE id = ?`, row)?.[0];
      length = size instanceof Uint8Array ? (varints(size)[0] ?? 1) : 1;
      this.#lengths.set(row, length);
    }
    return length;
  }

  /** The field's terms; some may be of documents that are gone. */
  terms(): Iterable<string> {
    return (this.#terms ??= new Set(
      this.#database.all(`SELECT term FROM ${this.#table}r`).map(([term]) => term as string),
    ));
  }

  /** Cuts a query into terms with the very tokenizer that cut the documents. */
  analyze(text: string): string[] {
    const table = `tokens_${this.#analyzer}`;
    this.#database
      .exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table} USING fts5(t, content='', tokenize='${TOKENIZERS[this.#analyzer]}');
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_v USING fts5vocab('temp', '${table}', 'instance')`);
    this.#database.run(`INSERT INTO temp.${table} (rowid, t) VALUES (1, ?)`, text);
    const terms = this.#database
      .all(`SELECT term FROM temp.${table}_v ORDER BY offset`)
      .map(([term]) => term as string);
    this.#database.exec(`INSERT INTO temp.${table} (${table}) VALUES ('delete-all')`);
    return terms;
  }
}

/** SQLite's variable-length integers: seven bits a byte, most significant first. */
function varints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      values.push(value);
      value = 0;
    }
  }
  return values;
}
