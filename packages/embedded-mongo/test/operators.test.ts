import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from './engine.ts';

type Kind = 'query' | 'update' | 'stage' | 'expression' | 'accumulator' | 'search';
type Client = 'product' | 'better-auth' | 'checkpointer' | 'mongosh' | 'crud';

const PACKAGE = join(import.meta.dirname, '..');
const REPOSITORY = join(PACKAGE, '../..');
const TABLE = JSON.parse(readFileSync(join(PACKAGE, 'operators.json'), 'utf8')) as Record<
  Kind,
  Record<string, Client[]>
>;

const words = (text: string): string[] => text.split(/\s+/);
const dollars = (text: string): string[] => words(text).map((word) => `$${word}`);

/** All operators of MongoDB 8.0's manual. */
const MANUAL: Readonly<Record<Kind, readonly string[]>> = {
  query: dollars(
    `eq ne gt gte lt lte in nin exists type all elemMatch size mod bitsAllClear bitsAllSet bitsAnyClear bitsAnySet not regex options
    and or nor expr jsonSchema text where comment rand sampleRate geoIntersects geoWithin near nearSphere maxDistance minDistance
    box center centerSphere geometry polygon uniqueDocs`,
  ),
  update: dollars('set setOnInsert unset inc mul min max rename currentDate addToSet pop pull push pullAll bit'),
  stage: dollars(
    `addFields bucket bucketAuto changeStream changeStreamSplitLargeEvent collStats count currentOp densify documents facet fill geoNear
    graphLookup group indexStats limit listLocalSessions listSampledQueries listSearchIndexes listSessions lookup match merge out
    planCacheStats project querySettings queryStats rankFusion redact replaceRoot replaceWith sample scoreFusion search searchMeta set
    setWindowFields shardedDataDistribution skip sort sortByCount unionWith unset unwind vectorSearch`,
  ),
  expression: dollars(
    `abs acos acosh add allElementsTrue and anyElementTrue arrayElemAt arrayToObject asin asinh atan atan2 atanh avg binarySize bitAnd
    bitNot bitOr bitXor bsonSize ceil cmp concat concatArrays cond const convert cos cosh covariancePop covarianceSamp
    dateAdd dateDiff dateFromParts dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek dayOfYear
    degreesToRadians divide eq exp filter first firstN floor function getField gt gte hour ifNull in indexOfArray indexOfBytes indexOfCP
    isArray isNumber isoDayOfWeek isoWeek isoWeekYear last lastN let literal ln log log10 lt lte ltrim map max maxN median mergeObjects
    meta millisecond min minN minute mod month multiply ne not objectToArray or percentile pow radiansToDegrees rand range reduce
    regexFind regexFindAll regexMatch replaceAll replaceOne reverseArray round rtrim sampleRate second setDifference setEquals setField
    setIntersection setIsSubset setUnion sin sinh size slice sortArray split sqrt stdDevPop stdDevSamp strcasecmp strLenBytes strLenCP
    substr substrBytes substrCP subtract sum switch tan tanh toBool toDate toDecimal toDouble toHashedIndexKey toInt toLong toLower
    toObjectId toString toUpper toUUID trim trunc tsIncrement tsSecond type unsetField week year zip`,
  ),
  accumulator: dollars(
    `accumulator addToSet avg bottom bottomN count first firstN last lastN max maxN median mergeObjects min minN percentile push
    stdDevPop stdDevSamp sum top topN`,
  ),
  search: words(
    `autocomplete compound embeddedDocument equals exists facet geoShape geoWithin in moreLikeThis near phrase queryString range regex
    span text wildcard`,
  ),
};

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
  await engine.db.collection('c').insertOne({ a: 1 });
  const definition = { mappings: { fields: { a: { type: 'string' } } } };
  await engine.db.collection('c').createSearchIndex({ name: 'default', definition });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** A command that uses the operator, with an operand that none takes. */
const PROBES: Readonly<Record<Kind, (name: string) => Document[]>> = {
  query: (name) => [
    { find: 'c', filter: { [name]: null } },
    { find: 'c', filter: { a: { [name]: null } } },
  ],
  update: (name) => [{ findAndModify: 'c', query: {}, update: { [name]: { b: { $type: 'x' } } } }],
  stage: (name) => [{ aggregate: 'c', pipeline: [{ [name]: null }], cursor: {} }],
  expression: (name) => [{ aggregate: 'c', pipeline: [{ $project: { b: { [name]: null } } }], cursor: {} }],
  accumulator: (name) => [{ aggregate: 'c', pipeline: [{ $group: { _id: null, b: { [name]: '$a' } } }], cursor: {} }],
  search: (name) => [{ aggregate: 'c', pipeline: [{ $search: { [name]: {} } }], cursor: {} }],
};

/** Refusals of an operator as such, with MongoDB's codes: unknown operator, modifier, stage, expression, accumulator; not implemented. */
const UNKNOWN =
  /unknown (?:top level |group )?operator|Unknown modifier|Unrecognized (?:pipeline stage name|expression)|is not supported/i;

async function isRefused(kind: Kind, name: string): Promise<boolean> {
  const refusals = await Promise.all(
    PROBES[kind](name).map(async (command) => {
      const reply = await engine.db.command(command).then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
      return reply !== undefined && UNKNOWN.test(reply) && reply.includes(name);
    }),
  );
  return refusals.every(Boolean);
}

const KINDS = Object.keys(MANUAL) as Kind[];

describe.each(KINDS)('%s operators', (kind) => {
  it('are implemented where operators.json has a row, and refused by name where it has none', async () => {
    const rows = new Set(Object.keys(TABLE[kind]));
    expect([...rows].filter((name) => !MANUAL[kind].includes(name))).toEqual([]);
    const refused: string[] = [];
    for (const name of MANUAL[kind]) if (await isRefused(kind, name)) refused.push(name);
    expect(refused).toEqual(MANUAL[kind].filter((name) => !rows.has(name)));
  });

  it('each have a client', () => {
    expect(Object.entries(TABLE[kind]).filter(([, clients]) => clients.length === 0)).toEqual([]);
  });
});

it('has no row for an operator outside of the manual, and no table entry outside of operators.json', () => {
  const rows = new Set(KINDS.flatMap((kind) => Object.keys(TABLE[kind])));
  const entries = globSync('src/**/*.ts', { cwd: PACKAGE }).flatMap((file) =>
    [...readFileSync(join(PACKAGE, file), 'utf8').matchAll(/^ {2}(\$[a-zA-Z]+)[:,]/gm)].map(([, name]) => `${name}`),
  );
  expect(entries.filter((name) => !rows.has(name))).toEqual([]);
});

/** Driver methods that send operators of their own. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  countDocuments: ['$match', '$group', '$sum'],
  listSearchIndexes: ['$listSearchIndexes'],
};
const KNOWN = new Set(KINDS.flatMap((kind) => MANUAL[kind]));

/** MongoDB operators that stand as literals in the files. */
function used(root: string, patterns: readonly string[], exclude: readonly string[] = []): string[] {
  const names = new Set<string>();
  for (const file of globSync([...patterns], { cwd: join(REPOSITORY, root), exclude: [...exclude] })) {
    const text = readFileSync(join(REPOSITORY, root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?<![`'"]\$\{)(\$[a-zA-Z]+)['"]?\s*(?::|=(?!=))/g))
      if (KNOWN.has(name)) names.add(name);
    for (const [method, operators] of Object.entries(METHODS))
      if (text.includes(`.${method}(`)) for (const name of operators) names.add(name);
  }
  return [...names].toSorted();
}

/** Names in the rows of a client, whatever their kind. */
function rowsOf(client: Client, kinds: readonly Kind[] = KINDS.filter((kind) => kind !== 'search')): string[] {
  const names = kinds.flatMap((kind) =>
    Object.entries(TABLE[kind]).flatMap(([name, clients]) => (clients.includes(client) ? [name] : [])),
  );
  return [...new Set(names)].toSorted();
}

describe('the clients in operators.json use the operators of their rows, and no others', () => {
  it('product', () => {
    const sources = ['src/stores/**/*.ts', 'src/adapters/**/*.ts', 'app/**/*.ts', 'tools/**/*.ts', 'scripts/**/*.ts'];
    // Documentation generators write about expressions of graphs, and seeds hold such. Words are searched with `$text` on servers only.
    const elsewhere = ['scripts/gen/**', 'scripts/seed*', 'src/stores/search/word-retrievers.ts'];
    expect(used('.', sources, elsewhere)).toEqual(rowsOf('product'));
  });

  it('product, in $search', () => {
    const source = ['retrievers.ts', 'rank-words.ts']
      .map((file) => readFileSync(join(REPOSITORY, 'src/stores/search', file), 'utf8'))
      .join('\n');
    const found = MANUAL.search.filter((name) => new RegExp(`\\{ ${name}(?::| \\})|\\b${name}\\b \\}`).test(source));
    expect(found.toSorted()).toEqual(rowsOf('product', ['search']));
  });

  it('better-auth', () => {
    expect(used('node_modules/@better-auth/mongo-adapter/dist', ['index.mjs'])).toEqual(rowsOf('better-auth'));
  });

  it('checkpointer', () => {
    const dist = 'node_modules/@langchain/langgraph-checkpoint-mongodb/dist';
    expect(used(dist, ['checkpoint.js'])).toEqual(rowsOf('checkpointer'));
  });
});
