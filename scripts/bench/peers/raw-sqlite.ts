/** `node:sqlite` by hand, doing what the engine is asked to: one table, its indexes, durable commits, no protocol. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { largeOrganization, madeUp, question, smallOrganization } from '#scripts/bench/documents/made-up.ts';
import { serve } from '#scripts/bench/processes/serve.ts';

const file = process.argv[2];
if (file === undefined) throw new Error('raw-sqlite.ts needs a file');
const db = new DatabaseSync(file);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA mmap_size = 134217728;
  CREATE TABLE things (id TEXT PRIMARY KEY, body TEXT, n INTEGER) WITHOUT ROWID;
  CREATE TABLE documents (r INTEGER PRIMARY KEY, id TEXT UNIQUE, organization TEXT, at INTEGER, email TEXT UNIQUE, body TEXT, vector BLOB);
  CREATE INDEX newest ON documents (organization, at DESC, id DESC);
  CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize='porter unicode61')`);

const prepared = new Map<string, StatementSync>();
function sql(text: string): StatementSync {
  const found = prepared.get(text) ?? db.prepare(text);
  prepared.set(text, found);
  return found;
}

/** Operations a second; `together` of them share a commit, as concurrent writers of the engine may. */
function rate(count: number, together: number, run: (index: number) => void): number {
  const started = performance.now();
  for (let from = 0; from < count; from += together) {
    db.exec('BEGIN IMMEDIATE');
    for (let index = from; index < Math.min(from + together, count); index += 1) run(index);
    db.exec('COMMIT');
  }
  return (count / (performance.now() - started)) * 1_000;
}

function milliseconds(run: () => void): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

/** All vectors (of one organization), compared one by one: the scan without an index. */
function nearest(target: Float32Array, organization: string | null): { id: string; score: number }[] {
  const rows =
    organization === null
      ? sql('SELECT id, vector FROM documents').iterate()
      : sql('SELECT id, vector FROM documents WHERE organization = ?').iterate(organization);
  const scored: { id: string; score: number }[] = [];
  for (const row of rows) {
    const { buffer, byteOffset, byteLength } = row['vector'] as Uint8Array;
    const vector = new Float32Array(buffer, byteOffset, byteLength / 4);
    let dot = 0;
    for (let at = 0; at < target.length; at += 1) dot += (target[at] ?? 0) * (vector[at] ?? 0);
    scored.push({ id: row['id'] as string, score: dot });
  }
  return scored.toSorted((a, b) => b.score - a.score).slice(0, 20);
}

const body = 'x'.repeat(200);
let inserted = 0;
let written = 0;

serve({
  insert: ({ count, together }: { count: number; together: number }) =>
    rate(count, together, () => sql('INSERT INTO things VALUES (?, ?, 0)').run(`t${(inserted += 1)}`, body)),
  update: ({ count, together }: { count: number; together: number }) =>
    rate(count, together, (index) => {
      const { changes } = sql('UPDATE things SET n = ? WHERE id = ?').run((written += 1), `t${index + 1}`);
      if (changes !== 1) throw new Error('a row that was inserted is not there');
    }),
  load: ({ from, to }: { from: number; to: number }) => {
    db.exec('BEGIN');
    for (let index = from; index < to; index += 1) {
      const { _id, organization, createdAt, email, text, vector } = madeUp(index);
      const bytes = new Uint8Array(vector.buffer);
      sql('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)').run(
        index,
        _id,
        organization,
        createdAt.getTime(),
        email,
        text,
        bytes,
      );
      sql('INSERT INTO words (rowid, body) VALUES (?, ?)').run(index, text);
    }
    db.exec('COMMIT');
  },
  find: (count: number) => {
    const statement = sql('SELECT id, email, body FROM documents WHERE email = ?');
    return (
      (count /
        milliseconds(() => {
          for (let index = 0; index < count; index += 1) statement.get(`user${index}@example.org`);
        })) *
      1_000
    );
  },
  list: (count: number) => {
    const statement = sql(
      'SELECT id, at, email, body FROM documents WHERE organization = ? ORDER BY at DESC, id DESC LIMIT 25',
    );
    return (
      (count /
        milliseconds(() => {
          for (let index = 0; index < count; index += 1) statement.all(largeOrganization);
        })) *
      1_000
    );
  },
  nearest: ({ index, filtered }: { index: number; filtered: boolean }) =>
    milliseconds(() => void nearest(question(index, 1).vector, filtered ? smallOrganization : null)),
  search: ({ index, words }: { index: number; words: number }) => {
    const match = question(index, words)
      .text.split(' ')
      .map((word) => `"${word}"`)
      .join(' OR ');
    return milliseconds(
      () => void sql('SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20').all(match),
    );
  },
});
process.channel?.ref();
