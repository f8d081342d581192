// Runs tests of MongoDB's unified test format (the JSON files of mongodb/specifications: tests/unified of source/crud,
// source/retryable-writes and source/retryable-reads) with the official driver against the engine. The files have a license of
// their own and are not in this repository:
//   npm run specification -- <folders of the JSON files>
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { EJSON } from 'bson';
import {
  type Collection,
  type CommandStartedEvent,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  MongoClientBulkWriteError,
  MongoServerError,
  GridFSBucket,
} from 'mongodb';
import { openEmbeddedDatabase } from '../../src/open.ts';

type Fields = Record<string, any>;
interface Operation {
  name: string;
  object: string;
  arguments?: Fields;
  expectResult?: unknown;
  expectError?: Fields;
  ignoreResultAndError?: boolean;
}

type Started = Pick<CommandStartedEvent, 'commandName' | 'databaseName' | 'command'>;

class Mismatch extends Error {}
class Skipped extends Error {}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !('_bsontype' in value);

/** Compares as the unified test format says: numbers by value, documents at the root may have more fields. */
function check(expected: unknown, actual: unknown, path: string, root = false): void {
  const fail = (): never => {
    throw new Mismatch(`${path}: expected ${EJSON.stringify(expected)}, got ${EJSON.stringify(actual)}`);
  };
  if (actual instanceof Map) return check(expected, Object.fromEntries(actual), path, root);
  if (isFields(expected)) {
    const [operator, operand] = Object.entries(expected)[0] ?? [];
    if (operator === '$$exists') return (actual !== undefined) === operand ? undefined : fail();
    if (operator === '$$type') return actual === undefined ? fail() : undefined;
    if (operator === '$$matchesHexBytes')
      return operand === (actual as Fields | undefined)?.['$$matchesHexBytes'] ? undefined : fail();
    if (operator === '$$unsetOrMatches') return actual === undefined ? undefined : check(operand, actual, path, root);
    if (!isFields(actual)) return fail();
    for (const [name, value] of Object.entries(expected)) check(value, actual[name], `${path}.${name}`);
    if (!root)
      for (const name of Object.keys(actual))
        if (actual[name] !== undefined && !(name in expected)) throw new Mismatch(`${path}.${name}: not expected`);
    return undefined;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return fail();
    expected.forEach((value, at) => check(value, actual[at], `${path}[${at}]`, root));
    return undefined;
  }
  const plain = (value: unknown): string => EJSON.stringify(value, { relaxed: true });
  return plain(expected) === plain(actual) ? undefined : fail();
}

/** The result of a write in the names of the specification. */
function shown(result: any): unknown {
  if (result === null || typeof result !== 'object' || Array.isArray(result)) return result;
  const entries = (map: any): Fields =>
    Object.fromEntries(map instanceof Map ? [...map].map(([key, value]) => [key, shown(value)]) : Object.entries(map));
  const out: Fields = {};
  for (const name of ['insertedCount', 'matchedCount', 'modifiedCount', 'deletedCount', 'upsertedCount', 'insertedId'])
    if (result[name] !== undefined) out[name] = result[name];
  for (const name of ['insertedIds', 'upsertedIds', 'insertResults', 'updateResults', 'deleteResults'])
    if (result[name]) out[name] = entries(result[name]);
  if (result.upsertedId !== undefined && result.upsertedId !== null) out['upsertedId'] = result.upsertedId;
  return Object.keys(out).length > 0 ? out : result;
}

async function runOnDatabase(db: Db, name: string, { command, filter, ...options }: Fields) {
  switch (name) {
    case 'runCommand':
      return db.command(command);
    case 'listCollections':
      return db.listCollections(filter, options).toArray();
    case 'listCollectionNames':
      return db.listCollections(filter, { ...options, nameOnly: true }).toArray();
    default:
      throw new Skipped(name);
  }
}

/** Downloads of a bucket, which are reads of two collections. */
async function runOnBucket(bucket: GridFSBucket, { name, arguments: given = {} }: Operation): Promise<unknown> {
  if (name === 'download') return binaryOf(await buffer(bucket.openDownloadStream(given['id'])));
  if (name === 'downloadByName') return binaryOf(await buffer(bucket.openDownloadStreamByName(given['filename'])));
  throw new Skipped(name);
}

const binaryOf = (bytes: Buffer): Fields => ({ $$matchesHexBytes: bytes.toString('hex') });

async function run(entity: MongoClient | Db | Collection | GridFSBucket, operation: Operation): Promise<unknown> {
  if (entity instanceof GridFSBucket) return runOnBucket(entity, operation);
  const { name, arguments: given = {} } = operation;
  const { filter, document, documents, update, replacement, pipeline, requests, fieldName, models, ...options } = given;
  if (entity instanceof MongoClient) {
    if (name === 'listDatabases') return (await entity.db().admin().listDatabases(options)).databases;
    if (name === 'listDatabaseNames')
      return (
        await entity
          .db()
          .admin()
          .listDatabases({ ...options, nameOnly: true })
      ).databases;
    if (name !== 'clientBulkWrite') throw new Skipped(name);
    const writes = (models as Fields[]).map((model) => {
      const [kind = '', value] = Object.entries(model)[0] ?? [];
      return { name: kind, ...value };
    });
    return shown(await entity.bulkWrite(writes as never, options));
  }
  if (!('collectionName' in entity)) {
    if (name === 'aggregate') return entity.aggregate(pipeline, options).toArray();
    return runOnDatabase(entity, name, given);
  }
  switch (name) {
    case 'aggregate':
      return entity.aggregate(pipeline, options).toArray();
    case 'find':
      return entity.find(filter, options).toArray();
    case 'findOne':
      return entity.findOne(filter, options);
    case 'countDocuments':
      return entity.countDocuments(filter, options);
    case 'count':
      // oxlint-disable-next-line typescript/no-deprecated -- the specification tests the deprecated method as well
      return entity.count(filter, options);
    case 'estimatedDocumentCount':
      return entity.estimatedDocumentCount(options);
    case 'distinct':
      return entity.distinct(fieldName, filter, options);
    case 'insertOne':
      return shown(await entity.insertOne(document, options));
    case 'insertMany':
      return shown(await entity.insertMany(documents, options));
    case 'updateOne':
      return shown(await entity.updateOne(filter, update, options));
    case 'updateMany':
      return shown(await entity.updateMany(filter, update, options));
    case 'replaceOne':
      return shown(await entity.replaceOne(filter, replacement, options));
    case 'deleteOne':
      return shown(await entity.deleteOne(filter, options));
    case 'deleteMany':
      return shown(await entity.deleteMany(filter, options));
    case 'findOneAndUpdate':
      return entity.findOneAndUpdate(filter, update, cased(options));
    case 'findOneAndReplace':
      return entity.findOneAndReplace(filter, replacement, cased(options));
    case 'findOneAndDelete':
      return entity.findOneAndDelete(filter, options);
    case 'bulkWrite':
      return shown(await entity.bulkWrite(requests, options));
    case 'listIndexes':
    case 'listIndexNames':
      return entity.listIndexes(options).toArray();
    case 'createIndex':
      return entity.createIndexes([{ key: given['keys'], name: given['name'], unique: given['unique'] === true }]);
    default:
      throw new Skipped(name);
  }
}

function cased({ returnDocument, ...options }: Fields): Fields {
  return returnDocument ? { ...options, returnDocument: String(returnDocument).toLowerCase() } : options;
}

function checkError(expected: Fields, error: unknown): void {
  const fromServer = error instanceof MongoServerError;
  const message = (error as Error).message.toLowerCase();
  // A bulk write over several collections wraps the error that ended it.
  const cause = error instanceof MongoClientBulkWriteError ? error.cause : undefined;
  const top = (cause ?? error) as MongoServerError;
  const { errorContains, errorCode, errorCodeName, isClientError, errorResponse, writeErrors, expectResult } = expected;
  const { errorLabelsContain = [], errorLabelsOmit = [] } = expected;
  const must = (holds: boolean, why: string): void => {
    if (!holds) throw new Mismatch(`${why}: ${(error as Error).message}`);
  };
  if (isClientError !== undefined) must(isClientError !== fromServer, `isClientError ${isClientError}`);
  if (errorContains) must(message.includes(String(errorContains).toLowerCase()), `message without '${errorContains}'`);
  if (errorCode !== undefined) must(top.code === errorCode, `code is not ${errorCode}`);
  if (errorCodeName !== undefined) must(top.codeName === errorCodeName, 'another code name');
  for (const label of errorLabelsContain) must(top.hasErrorLabel(label), `lacks ${label}`);
  for (const label of errorLabelsOmit) must(!top.hasErrorLabel(label), `has ${label}`);
  if (errorResponse) check(errorResponse, top.errorResponse, 'errorResponse', true);
  if (writeErrors && error instanceof MongoClientBulkWriteError)
    for (const [at, one] of Object.entries(writeErrors)) {
      const found = error.writeErrors.get(Number(at));
      must((one as Fields)['code'] === found?.code, `write error ${at}`);
    }
  if (expectResult && error instanceof MongoBulkWriteError)
    check(expectResult, shown(error.result), 'expectResult', true);
  if (expectResult && error instanceof MongoClientBulkWriteError && error.partialResult)
    check(expectResult, shown(error.partialResult), 'expectResult', true);
}

/** Tests that the driver itself answers otherwise than the specification says, on any server: file and title, and why. */
const DEVIATIONS: readonly (readonly [RegExp, string])[] = [
  [/^gridfs-download(-serverErrors)?\.json: /, 'the driver names the id of a file by $eq'],
  [
    /^bypass.*: (Aggregate with \$out|BulkWrite|FindOneAndReplace|FindOneAndUpdate|InsertMany) passes .*: false$/,
    'the driver sends no false',
  ],
  [/^client-bulkWrite-partialResults\.json: partialResult is unset when /, 'the driver sets an empty result'],
  [
    /^create-null-ids\.json: inserting _id with type null via (insertOne|insertMany|bulkWrite|clientBulkWrite)$/,
    'the driver gives a document with _id null an id',
  ],
  [/^bulkWrite\.json: First insertOne is never committed$/, 'the driver lists ids that were not inserted'],
];

function skipDeviation(title: string): void {
  const deviation = DEVIATIONS.find(([titles]) => titles.test(title));
  if (deviation) throw new Skipped(deviation[1]);
}

const VERSION = [8, 0, 0];

function isMet(requirement: Fields): boolean {
  const compare = (version = '', otherwise = 0): number => {
    const parts = version.split('.').map(Number);
    const at = VERSION.findIndex((part, index) => part !== (parts[index] ?? 0));
    return version === '' ? otherwise : at < 0 ? 0 : (VERSION[at] as number) - (parts[at] ?? 0);
  };
  const { minServerVersion, maxServerVersion, topologies, serverless } = requirement;
  if (compare(minServerVersion) < 0 || compare(maxServerVersion) > 0 || serverless === 'require') return false;
  return !topologies || topologies.includes('replicaset');
}

async function runTest(uri: string, suite: Fields, test: Fields): Promise<void> {
  if (test['skipReason']) throw new Skipped(test['skipReason']);
  for (const { runOnRequirements } of [suite, test])
    if (runOnRequirements && !runOnRequirements.some(isMet)) throw new Skipped('runOnRequirements');
  const setup = await MongoClient.connect(uri);
  const entities = new Map<string, any>();
  const events = new Map<string, Started[]>();
  const clients: MongoClient[] = [];
  const addClient = async (spec: Fields): Promise<void> => {
    if (spec['autoEncryptOpts']) throw new Skipped('encryption');
    const client = new MongoClient(uri, { monitorCommands: true, ...spec['uriOptions'] });
    const seen: Started[] = [];
    const ignored = new Set(['hello', 'ismaster', 'saslStart', 'saslContinue', 'endSessions']);
    for (const name of spec['ignoreCommandMonitoringEvents'] ?? []) ignored.add(name);
    client.on('commandStarted', ({ commandName, databaseName, command }) => {
      // The driver goes on with the command object after the event.
      if (!ignored.has(commandName)) seen.push({ commandName, databaseName, command: { ...command } });
    });
    clients.push(client);
    entities.set(spec['id'], client);
    events.set(spec['id'], seen);
  };
  try {
    for (const { databaseName, collectionName, documents } of suite['initialData'] ?? []) {
      const collection = setup.db(databaseName).collection(collectionName);
      await collection.drop();
      if (documents.length > 0) await collection.insertMany(documents);
      else await setup.db(databaseName).createCollection(collectionName);
    }
    const create = async (wanted: readonly Fields[]): Promise<void> => {
      for (const entity of wanted) {
        const [kind = '', spec] = Object.entries<any>(entity)[0] ?? [];
        if (kind === 'client') await addClient(spec);
        else if (kind === 'database')
          entities.set(spec.id, entities.get(spec.client).db(spec.databaseName, spec.databaseOptions));
        else if (kind === 'collection')
          entities.set(spec.id, entities.get(spec.database).collection(spec.collectionName, spec.collectionOptions));
        else if (kind === 'bucket')
          entities.set(spec.id, new GridFSBucket(entities.get(spec.database), spec.bucketOptions));
        else throw new Skipped(kind);
      }
    };
    await create(suite['createEntities'] ?? []);
    for (const operation of test['operations'] as Operation[]) {
      if (operation.object === 'testRunner') {
        const { failPoint, entities: more } = operation.arguments ?? {};
        if (operation.name === 'failPoint') await setup.db('admin').command(failPoint);
        else if (operation.name === 'createEntities') await create(more);
        else throw new Skipped(operation.name);
        continue;
      }
      let result: unknown;
      let failed: Error | undefined;
      try {
        result = await run(entities.get(operation.object), operation);
      } catch (error) {
        if (error instanceof Skipped) throw error;
        failed = error as Error;
      }
      if (operation.ignoreResultAndError) continue;
      if (operation.expectError) {
        if (!failed) throw new Mismatch(`${operation.name} did not fail`);
        checkError(operation.expectError, failed);
      } else if (failed) throw failed;
      else if (operation.expectResult !== undefined)
        check(operation.expectResult, result ?? null, operation.name, true);
    }
    for (const { client, events: expected, ignoreExtraEvents } of test['expectEvents'] ?? []) {
      const seen = events.get(client) ?? [];
      const started = expected.filter((one: Fields) => 'commandStartedEvent' in one);
      if (started.length !== expected.length) throw new Skipped('events other than commandStarted');
      if (ignoreExtraEvents ? seen.length < started.length : seen.length !== started.length)
        throw new Mismatch(`${seen.length} commands, expected ${started.length}`);
      for (const [at, { commandStartedEvent }] of started.entries()) {
        const { command = {}, ...names } = commandStartedEvent as Fields;
        check(names, seen[at], `event ${at}`, true);
        check(command, seen[at]?.command, `event ${at}.command`, true);
      }
    }
    for (const { databaseName, collectionName, documents } of test['outcome'] ?? []) {
      const found = await setup.db(databaseName).collection(collectionName).find().sort({ _id: 1 }).toArray();
      check(documents, found, `${databaseName}.${collectionName}`);
    }
  } finally {
    for (const configureFailPoint of ['failCommand', 'onPrimaryTransactionalWrite'])
      await setup.db('admin').command({ configureFailPoint, mode: 'off' });
    for (const client of [...clients, setup]) await client.close();
  }
}

const folders = process.argv.slice(2);
if (folders.length === 0) throw new Error('Name the folders of the JSON files: npm run specification -- <folders>');
const files = await Promise.all(
  folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name)).toSorted()),
);
const dataDir = await mkdtemp(join(tmpdir(), 'specification-'));
const database = await openEmbeddedDatabase({ dataDir, failPoints: true });
const tally = { passed: 0, failed: 0, skipped: 0 };
const lines: string[] = [];
try {
  for (const path of files.flat().filter((name) => name.endsWith('.json'))) {
    const suite = EJSON.parse(await readFile(path, 'utf8')) as Fields;
    const file = basename(path);
    for (const test of suite['tests']) {
      try {
        skipDeviation(`${file}: ${test.description}`);
        await runTest(database.uri, suite, test);
        tally.passed++;
      } catch (error) {
        const kind = error instanceof Skipped ? 'skipped' : 'failed';
        tally[kind]++;
        lines.push(`${kind} ${file}: ${test.description}: ${(error as Error).message}`);
      }
    }
  }
} finally {
  await database.close();
  await rm(dataDir, { recursive: true });
}
process.stdout.write(`${lines.join('\n')}\n${JSON.stringify(tally)}\n`);
process.exitCode = tally.failed > 0 ? 1 : 0;
