import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { serialize } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dispatch } from '../../src/commands/dispatch.ts';
import { CommandError } from '../../src/errors.ts';
import { checkConsistency } from '../../src/storage/check.ts';
import { Engine, type Job } from '../../src/storage/engine.ts';

const value = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.constantFrom(null, 'a', 'b', 1.5, true, [], [1, 2], [1, 'a'], { x: 1 }, [{ x: 1 }, { x: 2 }]),
);
const id = fc.integer({ min: 0, max: 12 });
const doc = fc.record(
  { _id: id, a: value, b: value, text: fc.constantFrom('red fox', 'blue fox', 'red') },
  { requiredKeys: ['_id'] },
);
const filter = fc.oneof(
  fc.record({ _id: id }),
  fc.record({ a: value }),
  fc.record({ b: fc.record({ $gte: fc.integer({ min: 0, max: 3 }) }) }),
  fc.constant({}),
);
const change = fc.oneof(
  fc.record({
    $set: fc.record({ a: value, b: value }, { requiredKeys: [] }).filter((one) => Object.keys(one).length > 0),
  }),
  fc.record({ $unset: fc.constantFrom({ a: 1 }, { b: 1 }, { text: 1 }) }),
  fc.record({ $inc: fc.constant({ a: 1 }) }),
  fc.record({ $push: fc.record({ b: value }) }),
  fc.record({ $set: fc.constant({ text: 'green fox' }) }),
);
const index = fc.constantFrom<Document>(
  { key: { a: 1 }, name: 'a' },
  { key: { a: 1 }, name: 'unique', unique: true },
  { key: { b: -1, a: 1 }, name: 'both' },
  { key: { b: 1 }, name: 'sparse', sparse: true },
  { key: { a: 1, _id: 1 }, name: 'partial', partialFilterExpression: { b: { $gt: 1 } } },
  { key: { 'a.x': 1 }, name: 'nested', unique: true, sparse: true },
);
const text = { name: 'text', definition: { mappings: { dynamic: false, fields: { text: { type: 'string' } } } } };
const name = fc.constantFrom('one', 'two');
const flag = fc.boolean();

const command: fc.Arbitrary<Document> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ insert: name, documents: fc.array(doc, { minLength: 1, maxLength: 4 }), ordered: flag }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      update: name,
      updates: fc.array(fc.record({ q: filter, u: change, multi: flag, upsert: flag }), { minLength: 1, maxLength: 2 }),
      ordered: flag,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      delete: name,
      deletes: fc.array(fc.record({ q: filter, limit: fc.constantFrom(0, 1) }), { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ findAndModify: name, query: filter, update: change, upsert: flag }) },
  fc.record({ findAndModify: name, query: filter, remove: fc.constant(true) }),
  fc.record({
    update: name,
    updates: fc.tuple(fc.record({ q: filter, u: fc.record({ a: value, text: fc.constant('fox') }), upsert: flag })),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ createIndexes: name, indexes: fc.array(index, { minLength: 1, maxLength: 2 }) }),
  },
  fc.record({ dropIndexes: name, index: fc.constantFrom('a', 'unique', 'both', '*') }),
  fc.record({ createSearchIndexes: name, indexes: fc.constant([text]) }),
  fc.record({ dropSearchIndex: name, name: fc.constant('text') }),
  fc.record({ drop: name }),
  fc.record({ create: name }),
);

let folder: string;
let engine: Engine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  engine = new Engine(folder, (error) => {
    throw error;
  });
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

/** Runs a client's command. With `tooLate` it fails after its last change and must leave nothing of it. */
function run(body: Document, tooLate = false): Promise<Document> {
  const { database, catalog, cursors } = engine;
  const submit = (job: Job): void =>
    engine.submit({
      ...job,
      run: () => {
        const reply = job.run();
        if (tooLate) throw new CommandError(1, 'too late');
        return reply;
      },
    });
  const service = { engine: { database, catalog, cursors, submit } as unknown as Engine, password: '', address: '' };
  const message = {
    requestId: 1,
    legacy: false,
    silent: false,
    exhaustAllowed: false,
    body: serialize({ ...body, $db: 'd' }),
    sequences: new Map(),
  };
  return new Promise((resolve) => {
    dispatch(service as never, { id: 1, authenticated: true } as never, message, resolve);
  });
}

describe('random sequences of commands', () => {
  it('never corrupt: documents, indexes and searches agree, also after failures and in a new catalog', async () => {
    let applied = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(command, { minLength: 1, maxLength: 3 }), fc.integer({ min: 0, max: 9 })), {
          minLength: 5,
          maxLength: 25,
        }),
        async (batches) => {
          // Commands that arrive together share a transaction, in which a failed command is rolled back alone.
          for (const [commands, failing] of batches) {
            const before = commands.length === 1 && failing === 0 ? dump() : undefined;
            const replies = await Promise.all(commands.map((body, at) => run(body, at === failing)));
            applied += replies.filter((reply) => reply['ok'] === 1).length;
            if (before) expect(dump()).toEqual(before);
          }
          expect(checkConsistency(engine.database, engine.catalog).problems).toEqual([]);
          const known = describeCatalog();
          engine.catalog.reload('everything');
          expect(describeCatalog()).toEqual(known);
          expect(checkConsistency(engine.database, engine.catalog).problems).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
    expect(applied).toBeGreaterThan(500);
  });

  it('the check finds what is wrong', () => {
    const { database, catalog } = engine;
    const collection = catalog.ensure('d', 'checked');
    catalog.addIndex(collection, { v: 2, key: { a: 1 }, name: 'a' });
    catalog.addIndex(collection, { v: 2, key: { b: 1 }, name: 'b', unique: true });
    const search = catalog.addSearchIndex(collection, 'text', text.definition);
    for (const _id of [1, 2, 3]) {
      const one = { _id, a: _id, b: _id, text: 'red fox' };
      collection.insert(serialize(one), one);
    }
    const [, a, b] = collection.indexes;
    const problemsAfter = (sql: string): string[] => {
      database.exec(`SAVEPOINT harm; ${sql}`);
      const { problems } = checkConsistency(database, catalog);
      database.exec('ROLLBACK TO harm; RELEASE harm');
      return problems;
    };
    expect(problemsAfter('')).toEqual([]);
    expect(problemsAfter(`DELETE FROM ${a?.table} WHERE r = 2`).join()).toMatch(
      /row 2: index a lacks.*index a has 2 entries for 3/,
    );
    expect(problemsAfter(`INSERT INTO ${a?.table} VALUES (x'00', 3)`).join()).toMatch(/index a has 4 entries for 3/);
    expect(
      problemsAfter(`UPDATE ${b?.table} SET k = (SELECT k FROM ${b?.table} WHERE r = 1) WHERE r = 2`).join(),
    ).toMatch(/index b has a unique key/);
    expect(problemsAfter(`UPDATE ${collection.table} SET d = x'0000' WHERE r = 1`).join()).toMatch(
      /row 1: Invalid BSON/,
    );
    expect(problemsAfter(`DELETE FROM s${search.id}w WHERE r = 2`).join()).toMatch(
      /row 2: search index text has 0 words for 2/,
    );
    expect(problemsAfter(`DELETE FROM ${collection.table} WHERE r = 3`).join()).toMatch(
      /search index text holds rows that are gone/,
    );
    expect(problemsAfter(`DELETE FROM ${collection.table} WHERE r = 3`).join()).toMatch(/index a has 3 entries for 2/);
  });
});

function describeCatalog(): unknown {
  return engine.catalog
    .all()
    .map((collection) => [
      collection.namespace,
      collection.id,
      collection.indexes.map((one) => [one.id, one.name, one.multikey]),
      collection.searchIndexes.map((one) => [one.id, one.name]),
    ])
    .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));
}

/** Everything that is stored, of the documents and of what belongs to them. */
function dump(): unknown {
  const { database } = engine;
  const tables = database
    .all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'c[0-9]*' OR name GLOB 'i[0-9]*') ORDER BY name",
    )
    .map(([table]) => String(table));
  return [
    describeCatalog(),
    ...tables.map((table) => [
      table,
      database
        .all(`SELECT * FROM ${table}`)
        .map((row) => row.map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString('hex') : one))),
    ]),
  ];
}
