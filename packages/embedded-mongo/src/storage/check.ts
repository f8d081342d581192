import { decode } from '../bson/decode.ts';
import type { Document } from '../bson/value.ts';
import type { TextIndex } from '../search/text/text-index.ts';
import type { Catalog } from './catalog.ts';
import type { Collection } from './collection.ts';
import type { Database } from './database.ts';

const MAX_PROBLEMS = 100;

/**
 * Reads everything and compares: the file is sound, every document parses, and every index holds exactly the keys of its
 * documents. Finds at most a hundred problems; changes nothing.
 */
export function checkConsistency(database: Database, catalog: Catalog): { documents: number; problems: string[] } {
  const problems: string[] = [];
  let documents = 0;
  for (const [verdict] of database.all('PRAGMA integrity_check')) if (verdict !== 'ok') problems.push(String(verdict));
  for (const collection of catalog.all()) documents += checkCollection(database, collection, problems);
  return { documents, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** Each document's keys are looked up and counted: equal counts then mean that the index holds nothing else. */
export function checkCollection(database: Database, collection: Collection, problems: string[]): number {
  const { namespace, table, indexes } = collection;
  const counts = new Map(indexes.map((index) => [index, 0]));
  const searches = collection.searchIndexes
    .filter((index) => index.type === 'search')
    .map((index) => ({ index, held: wordsHeld(index) }));
  const checkRow = (row: number, doc: Document): void => {
    for (const index of indexes) {
      const { keys, multikey } = index.keysOf(doc);
      counts.set(index, (counts.get(index) ?? 0) + keys.length);
      if ((multikey & ~index.multikey) !== 0) throw new Error(`index ${index.name} is not marked multikey`);
      for (const key of keys) {
        if (!database.get(`SELECT 1 FROM ${index.table} WHERE k = ? AND r = ?`, key, row))
          throw new Error(`index ${index.name} lacks its key`);
      }
    }
    for (const { index, held } of searches) {
      for (const [field, words] of index.wordsOf(doc).entries()) {
        const found = held[field]?.get(row) ?? 0;
        held[field]?.delete(row);
        if (found !== words) throw new Error(`search index ${index.name} has ${found} words for ${words}`);
      }
    }
  };
  let documents = 0;
  const rows = database.iterate(`SELECT r, d FROM ${table} ORDER BY r`);
  try {
    for (let next = rows.next(); next && problems.length < MAX_PROBLEMS; next = rows.next()) {
      documents++;
      database.tick();
      try {
        checkRow(next[0] as number, decode(next[1] as Uint8Array));
      } catch (error) {
        problems.push(`${namespace} row ${Number(next[0])}: ${(error as Error).message}`);
      }
    }
  } finally {
    rows.close();
  }
  if (problems.length >= MAX_PROBLEMS) return documents;
  for (const [index, keys] of counts) {
    const held = Number(database.get(`SELECT count(*) FROM ${index.table}`)?.[0]);
    if (held !== keys) problems.push(`${namespace} index ${index.name} has ${held} entries for ${keys} keys`);
    if (index.unique && database.get(`SELECT 1 FROM ${index.table} GROUP BY k HAVING count(*) > 1`))
      problems.push(`${namespace} index ${index.name} has a unique key with two holders`);
  }
  for (const { index, held } of searches) {
    if (held.some((left) => left.size > 0))
      problems.push(`${namespace} search index ${index.name} holds rows that are gone`);
  }
  return documents;
}

/** For each text field, how many words the index has of each row. */
function wordsHeld(index: TextIndex): Map<number, number>[] {
  const segments = index.view().segments;
  return index.mapping.texts.map((_, field) => {
    const held = new Map<number, number>();
    for (const segment of segments) {
      const found = segment.postings(field, '');
      found?.rows.forEach((number, at) => {
        if (!segment.dead?.[number]) held.set(segment.rowAt(number), found.counts[at] ?? 0);
      });
    }
    return held;
  });
}
