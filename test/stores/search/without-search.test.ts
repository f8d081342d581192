import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { ChosenRetrievers } from '#src/stores/search/chosen-retrievers.ts';
import { ensureSearchIndexes, textIndexName, wordIndexName } from '#src/stores/search/definitions.ts';
import type { RetrieverRequest, SearchRetrievers } from '#src/stores/search/hybrid-search.ts';
import { readQuery } from '#src/domain/search/read-query.ts';
import { doctor } from '#scripts/doctor.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { actingDatabase, refusal, type ActingDatabase } from '#test/support/servers/acting-database.ts';
import { fixture, startTestApp } from '#test/support/test-app.ts';

type Engine = Awaited<ReturnType<typeof openOnWarmThread>>;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let engine: Engine;
beforeAll(async () => {
  folder = await temporaryFolder();
  engine = await openOnWarmThread({ dataDir: folder.path });
});
afterAll(async () => {
  await engine.close();
  await folder.remove();
});

/** The same server, and the database `community` of it. */
function namedUri(uri: string): string {
  const named = new URL(uri);
  named.pathname = '/community';
  return named.href;
}

const notEnabled = refusal(
  31_082,
  'SearchNotEnabled',
  'Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration.',
);
const otherKeys = refusal(86, 'IndexKeySpecsConflict', 'An existing index has the same name as the requested index.');
const usesSearch = ({ pipeline = [] }: Document): boolean =>
  (pipeline as Document[]).some(
    (stage) => '$search' in stage || '$vectorSearch' in stage || '$listSearchIndexes' in stage,
  );

/**
 * MongoDB Community: it refuses every command of search, and has an index of words. What a real one finds by `$text`, `$search` of the
 * engine behind it finds here.
 */
class CommunityServer {
  readonly wordIndexes: Document[] = [];
  readonly textQueries: Document[] = [];
  /** Index of words that an older version of the product made. */
  olderIndex: string | null = null;
  hasSearch = false;
  readonly #db: ReturnType<typeof connectDatabase>['db'];

  constructor(db: ReturnType<typeof connectDatabase>['db']) {
    this.#db = db;
  }

  act = async (command: Document): Promise<Document | null> => {
    if (this.hasSearch) return null;
    if ('createSearchIndexes' in command || 'updateSearchIndex' in command) return notEnabled;
    if ('aggregate' in command && usesSearch(command)) return notEnabled;
    if ('createIndexes' in command && JSON.stringify(command['indexes']).includes('"text"')) {
      if (command['indexes'][0].name === this.olderIndex) return otherKeys;
      this.wordIndexes.push(...command['indexes']);
      return { ok: 1 };
    }
    if ('dropIndexes' in command && command['index'] === this.olderIndex) {
      this.olderIndex = null;
      return { ok: 1 };
    }
    const text = 'find' in command ? command['filter']?.$text : undefined;
    return text === undefined ? null : this.#found(command, text.$search);
  };

  async #found({ find, filter, limit }: Document, words: string): Promise<Document> {
    this.textQueries.push(filter);
    const { $text: _, ...rest } = filter as Document;
    const path = ['title', 'description', 'ocrText', 'segmentationText'];
    const firstBatch = await this.#db
      .collection(find)
      .aggregate([
        { $search: { index: textIndexName, text: { query: words, path } } },
        { $match: rest },
        { $limit: limit },
        { $project: { _id: 1, score: { $meta: 'searchScore' } } },
      ])
      .toArray();
    return { ok: 1, cursor: { firstBatch, id: 0n, ns: `${this.#db.databaseName}.${String(find)}` } };
  }
}

describe('On a MongoDB without search', () => {
  test('the product starts, serves, finds words and identifiers, says what is missing, and uses search when it is there', async () => {
    const direct = connectDatabase(engine.uri, 'community');
    const server = new CommunityServer(direct.db);
    server.olderIndex = wordIndexName;
    await using proxy: ActingDatabase = await actingDatabase(engine.uri, server.act);
    // The engine behind the server plays its index of words with these.
    await ensureSearchIndexes(direct.db, { text: 1_536, image: 832 });
    const uri = namedUri(proxy.uri);
    {
      await using app = await startTestApp({ env: { MONGODB_URI: uri, DOCUMENT_SEARCH_MODE: 'hybrid' } });
      expect(server.olderIndex).toBeNull();
      expect(server.wordIndexes).toMatchObject([
        {
          key: { organizationId: 1, title: 'text', ocrText: 'text', filename: 'text' },
          language_override: 'noLanguage',
        },
      ]);
      const document = await app.ingest(await fixture('receipt.jpg'), 'image/jpeg');
      await app.app.idle();
      const cookie = await app.signIn();
      const found = await app.call('GET', '/api/dashboard/documents?query=peppercorn', { cookie });
      expect({ status: found.status, code: found.body.code }).toEqual({ status: 200, code: undefined });
      expect(JSON.stringify(found.body)).toContain(document.id);
      expect(server.textQueries.at(-1)).toMatchObject({
        organizationId: app.seed.organizationId,
        $text: { $search: 'peppercorn' },
      });
      const nothing = await app.call('GET', '/api/dashboard/documents?query=zanzibar', { cookie });
      expect(JSON.stringify(nothing.body)).not.toContain(document.id);
      const health = await app.call('GET', '/health');
      expect(health.body).toMatchObject({
        status: 'degraded',
        checks: { search: { status: 'error' }, database: { status: 'ok' } },
      });
    }
    await direct.close();
  }, 60_000);

  test('phrases and signs of a query are words to it, not commands', async () => {
    const direct = connectDatabase(engine.uri, 'community');
    const server = new CommunityServer(direct.db);
    await using proxy = await actingDatabase(engine.uri, server.act);
    await using app = await startTestApp({ env: { MONGODB_URI: namedUri(proxy.uri) } });
    const cookie = await app.signIn();
    const query = encodeURIComponent('"grand total" -coffee "a\\"b"');
    expect((await app.call('GET', `/api/dashboard/documents?query=${query}`, { cookie })).status).toBe(200);
    const asked = server.textQueries.map(({ $text }) => String($text.$search));
    expect(asked).toContain('"grand total"');
    for (const text of asked) expect(text).not.toMatch(/(^|\s)-\w/);
    await direct.close();
  });
});

describe('Retrievers that were chosen', () => {
  const answers = (id: string): SearchRetrievers => {
    const hits = async () => [{ documentId: id, score: 1 }];
    return { exact: hits, lexical: async () => ({ hits: await hits(), known: 1, covered: 1 }), semantic: hits };
  };
  const request: RetrieverRequest = {
    scope: { organizationId: 'o', projectIds: ['p'] },
    query: readQuery('word'),
    depth: 1,
    signal: new AbortController().signal,
  };

  test('look for the search again after a minute, and use it when its indexes are ready', async () => {
    let hasSearch = false;
    let looks = 0;
    let at = 0;
    const ready = Promise.withResolvers<void>();
    const failing: SearchRetrievers['lexical'] = async (asked) => {
      if (hasSearch) return answers('search').lexical(asked);
      throw Object.assign(new (await import('mongodb')).MongoServerError({ message: 'no', code: 31_082 }), {
        code: 31_082,
      });
    };
    const chosen = new ChosenRetrievers({
      search: { ...answers('search'), lexical: failing },
      words: answers('words'),
      now: () => at,
      isReady: async () => {
        looks += 1;
        if (hasSearch) ready.resolve();
        return hasSearch;
      },
    });
    const asked = async (): Promise<string | undefined> => (await chosen.lexical(request)).hits[0]?.documentId;
    expect(await asked()).toBe('words');
    expect(await asked()).toBe('words');
    expect(looks).toBe(0);
    at = 61_000;
    expect(await asked()).toBe('words');
    expect(looks).toBe(1);
    hasSearch = true;
    at = 130_000;
    expect(await asked()).toBe('words');
    await ready.promise;
    expect(await asked()).toBe('search');
  });
});

describe('A MongoDB that is too old', () => {
  test('is refused at the start in one line', async () => {
    const hello = {
      ok: 1,
      isWritablePrimary: true,
      helloOk: true,
      minWireVersion: 0,
      maxWireVersion: 21,
      maxBsonObjectSize: 2 ** 24,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
    };
    await using old = await actingDatabase(engine.uri, (command) => {
      if ('hello' in command || 'ismaster' in command || 'isMaster' in command) return hello;
      return 'buildInfo' in command ? { ok: 1, version: '7.0.14' } : null;
    });
    await expect(startTestApp({ env: { MONGODB_URI: old.uri } })).rejects.toThrow(
      /MongoDB 7\.0\.14, and Inkgraph needs 8\.0 or newer\. Upgrade the server/,
    );
  });
});

describe('The doctor', () => {
  test('tells what a MongoDB is, may and has', async () => {
    const direct = connectDatabase(engine.uri, 'community');
    const server = new CommunityServer(direct.db);
    await using proxy = await actingDatabase(engine.uri, async (command) => {
      if ('drop' in command) return refusal(13, 'Unauthorized', 'not authorized on community to execute command');
      return server.act(command);
    });
    const env = { DATA_DIR: folder.path, API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
    const { out, code } = await runCommand(doctor, [], { env: { ...env, MONGODB_URI: namedUri(proxy.uri) } });
    expect(out).toMatch(/ok {3}MongoDB \d+\.\d+\.\d+ \((replica set|single)\), database community/);
    expect(out).toMatch(/ok {3}clocks of MongoDB and of this machine agree to \d+ ms/);
    expect(out).toContain('FAIL MongoDB refuses: not authorized on community');
    expect(out).toContain('fix: give the user readWrite on community');
    expect(out).toContain('this MongoDB has no search');
    expect(out).toContain('INSTALLATION_SECRET is not set');
    expect(code).toBe(1);
    await direct.close();
    const away = await runCommand(doctor, [], {
      env: { ...env, MONGODB_URI: 'mongodb://root:hunter2@127.0.0.1:1/?serverSelectionTimeoutMS=100' },
    });
    expect(away.out).toContain('FAIL MongoDB does not respond');
    expect(away.out).not.toContain('hunter2');
  });
});

describe('Two machines of one installation', () => {
  test('accept each other’s sessions with the same INSTALLATION_SECRET', async () => {
    const env = { MONGODB_URI: engine.uri, INSTALLATION_SECRET: Buffer.alloc(32, 7).toString('base64') };
    await using first = await startTestApp({ env });
    await using second = await startTestApp({ env });
    const cookie = await first.signIn();
    const path = '/api/dashboard/documents';
    expect((await second.call('GET', path, { cookie })).status).toBe(200);
    await using other = await startTestApp({
      env: { ...env, INSTALLATION_SECRET: Buffer.alloc(32, 8).toString('base64') },
    });
    expect((await other.call('GET', path, { cookie })).status).toBe(401);
  });
});

describe('The connection string', () => {
  test('names the database, and its options win over the usual ones', async () => {
    const named = connectDatabase('mongodb://127.0.0.1:1/staging?maxPoolSize=7&serverSelectionTimeoutMS=50&w=1');
    expect(named.db.databaseName).toBe('staging');
    expect(named.client.options).toMatchObject({ maxPoolSize: 7, serverSelectionTimeoutMS: 50, appName: 'inkgraph' });
    // An acknowledged upload is one that a majority has.
    expect(named.client.options.writeConcern).toMatchObject({ w: 'majority' });
    expect(connectDatabase('mongodb+srv://u:p@example.com/pro%2Dd?retryReads=true').db.databaseName).toBe('pro-d');
    expect(connectDatabase('mongodb://127.0.0.1:1/?maxPoolSize=7').db.databaseName).toBe('inkgraph');
  });
});
