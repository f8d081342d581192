import { Binary, Decimal128, Double, Long, ObjectId, UUID } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anything, failureOf, startTestEngine, type TestEngine } from '../engine.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine[Symbol.asyncDispose]());

type Ids = readonly (string | number)[];

async function indexed(fields: object, docs: readonly Anything[], analyzer = 'lucene.standard') {
  const collection = engine.fresh();
  await collection.insertMany(docs.map((doc) => ({ ...doc })));
  await collection.createSearchIndex({ name: 'default', definition: { analyzer, mappings: { fields } } });
  const search = (operator: object, ...rest: object[]) =>
    collection
      .aggregate<Anything>([{ $search: operator }, { $addFields: { score: { $meta: 'searchScore' } } }, ...rest])
      .toArray();
  const ids = async (operator: object) => (await search(operator)).map((doc) => doc._id as string | number);
  return { collection, search, ids };
}

type Indexed = Awaited<ReturnType<typeof indexed>>;

/** One test for each operator: the ids it finds, best first. */
function finds(
  setup: () => Promise<Indexed>,
  cases: readonly [title: string, operator: object, expected: Ids][],
): void {
  let subject: Indexed;
  beforeAll(async () => {
    subject = await setup();
  });
  it.each(cases)('%s', async (_title, operator, expected) => {
    expect(await subject.ids(operator)).toEqual(expected);
  });
}

const words = (query: unknown, path: unknown = 't', more: object = {}) => ({ text: { query, path, ...more } });
const phrase = (query: unknown, more: object = {}) => ({ phrase: { query, path: 't', ...more } });
const fuzzy = (query: string, options: object, more: object = {}) => words(query, 't', { fuzzy: options, ...more });

describe('analyzers', () => {
  const cases: [analyzer: string, text: string | string[], query: string, matches: boolean][] = [
    ['standard', 'The Quick-Brown fox', 'quick', true],
    ['standard', 'The Quick-Brown fox', 'BROWN', true],
    ['standard', 'The Quick-Brown fox', 'the', true],
    ['standard', 'The Quick-Brown fox', 'foxes', false],
    ['standard', 'Café', 'cafe', false],
    ['standard', 'Café', 'CAFÉ', true],
    ['standard', "the fox's den", 'fox', false],
    ['standard', "the fox's den", "FOX'S", true],
    ['standard', 'costs 1,000.5 euro', '1,000.5', true],
    ['standard', 'costs 1,000.5 euro', '1', false],
    ['standard', 'see example.com.', 'example.com', true],
    ['standard', 'see example.com.', 'example', false],
    ['standard', 'snake_case word', 'snake_case', true],
    ['standard', 'snake_case word', 'snake', false],
    ['standard', 'a ___ b', '___', false],
    ['standard', 'a __b__ c', '__b__', true],
    ['standard', '_'.repeat(500_000), 'a', false],
    ['standard', 'INV-2024-0042', '2024', true],
    ['standard', '日本語', '本', true],
    ['standard', 'カタカナ', 'カタ', false],
    ['standard', 'nice 👍🏽 work', '👍🏽', true],
    ['standard', 'привет мир', 'МИР', true],
    ['standard', 'x'.repeat(300), 'x'.repeat(255), true],
    ['standard', 'x'.repeat(300), 'x'.repeat(45), true],
    ['standard', '---', '---', false],
    ['english', 'Receipts for paying invoices', 'receipt', true],
    ['english', 'Receipts for paying invoices', 'invoicing', true],
    ['english', 'Receipts for paying invoices', 'for', false],
    ['english', "the fox's den", 'fox', true],
    ['english', 'relational generalizations', 'relate', true],
    ['english', 'skies', 'sky', true],
    ['english', 'happy', 'happiness', true],
    ['english', 'This WILL be there', 'will', false],
    ['english', 'such a yes', 'yes', true],
    ['keyword', 'Foo Bar', 'Foo Bar', true],
    ['keyword', 'Foo Bar', 'Foo', false],
    ['keyword', ['Foo', 'Bar'], 'Bar', true],
  ];
  it.each(cases)('lucene.%s: %j, searched for %j: %s', async (analyzer, text, query, matches) => {
    const { ids } = await indexed({ t: { type: 'string' } }, [{ _id: 1, t: text }], `lucene.${analyzer}`);
    expect(await ids(words(query))).toEqual(matches ? [1] : []);
  });
});

describe('text', () => {
  const fields = {
    t: { type: 'string' },
    u: { type: 'string' },
    other: { type: 'string', analyzer: 'lucene.keyword' },
    nested: { type: 'document', fields: { t: { type: 'string' } } },
  };
  const docs: Anything[] = [
    { _id: 1, t: 'walnut table', u: 'blue' },
    { _id: 2, t: 'walnut walnut chair and many more words in a long text', u: 'walnut' },
    { _id: 3, t: ['red', 'walnut desk'], nested: [{ t: 'deep' }, [{ t: ['deeper', 'still'] }]] },
    { _id: 4, t: { walnut: 1 }, other: 'walnut table' },
    { _id: 5, t: 'table', hidden: 'walnut' },
  ];
  finds(
    () => indexed(fields, docs),
    [
      ['finds what holds any of the words', words('table chair'), [5, 1, 2]],
      ['finds what holds any word of any query', words(['table', 'chair']), [5, 1, 2]],
      ['finds in any path, and adds up', words('walnut', ['t', 'u']), [2, 1, 3]],
      ['finds in arrays of arrays of documents', words('deeper', 'nested.t'), [3]],
      ['finds nothing at a position of an array', words('deep', 'nested.0.t'), []],
      ['finds nothing in a path that is not mapped', words('walnut', 'hidden'), []],
      ['finds nothing in a document at a string path', words('1', 't.walnut'), []],
      ['finds nothing for words that are nowhere', words('helicopter'), []],
      ['finds nothing for no words', words('...'), []],
      ['uses the analyzer of each path', words('walnut table', 'other'), [4]],
      ['never reads a query as a language', words('walnut" OR NEAR( * -table', 't'), [1, 5, 3, 2]],
    ],
  );
});

describe('fuzzy text', () => {
  const docs: Anything[] = ['receipt', 'receipts', 'recipe', 'reciept', 'deceit', 'ab', 'abc', 'żółć'].map((t, at) => ({
    _id: at + 1,
    t,
  }));
  finds(
    () => indexed({ t: { type: 'string' } }, docs),
    [
      ['takes one edit: insert, delete, replace, swap', fuzzy('receipt', { maxEdits: 1 }), [1, 2, 4]],
      ['takes two edits by default', fuzzy('receipt', {}), [1, 2, 4, 3, 5]],
      ['keeps the prefix', fuzzy('xeceipt', { maxEdits: 1, prefixLength: 1 }), []],
      ['edits the start without a prefix', fuzzy('xeceipt', { maxEdits: 1 }), [1]],
      ['takes the closest terms when there are too many', fuzzy('receipt', { maxEdits: 2, maxExpansions: 1 }), [1]],
      ['wants fewer edits than letters', fuzzy('a', { maxEdits: 1 }), []],
      ['counts letters, not bytes', fuzzy('zółć', { maxEdits: 1 }), [8]],
      ['counts a swap as one edit', fuzzy('ba', { maxEdits: 1 }), [6]],
    ],
  );
});

describe('phrase', () => {
  const docs: Anything[] = [
    { _id: 1, t: 'the walnut tables are here' },
    { _id: 2, t: 'walnut and tables' },
    { _id: 3, t: 'tables walnut' },
    { _id: 4, t: ['old walnut', 'tables'] },
    { _id: 5, t: 'a walnut one two three four tables' },
  ];
  finds(
    () => indexed({ t: { type: 'string' } }, docs),
    [
      ['wants the words side by side, in order', phrase('walnut tables'), [4, 1]],
      ['wants all of them', phrase('walnut tables chair'), []],
      ['of one word is that word', phrase('tables'), [3, 2, 4, 1, 5]],
      ['goes on from one element of an array to the next', phrase('old walnut tables'), [4]],
      ['takes any of several', phrase(['tables walnut', 'and tables']), [2, 3]],
      ['of no words is nothing', phrase('!'), []],
    ],
  );
  finds(
    () => indexed({ t: { type: 'string' } }, [...docs, { _id: 6, t: 'walnut of tables' }], 'lucene.english'),
    [
      ['leaves a hole for a stop word', phrase('walnut and tables'), [2, 6]],
      ['does not close the hole in the text', phrase('walnut tables'), [1, 4]],
      ['takes another stop word, or any word, in the hole', phrase('walnut the table'), [2, 6]],
      ['of stop words only is nothing', phrase('and the'), []],
    ],
  );
});

const OID = new ObjectId('65a000000000000000000001');
const UID = new UUID('8e1a6d3e-6d4c-4b7e-9a53-7f2f0f6d1c11');
const DAY = new Date('2026-01-02T03:04:05.678Z');
const EXACT: Anything[] = [
  { _id: 1, k: 'Alpha', n: 1, d: DAY, b: true, o: OID, u: UID, m: 'x' },
  { _id: 2, k: 'alpha', n: 2.5, d: new Date(0), b: false, o: new ObjectId('65a000000000000000000002'), m: 5 },
  { _id: 3, k: ['Alpha', 'beta'], n: [1, 7], d: [DAY], m: [DAY, null] },
  { _id: 4, k: null, n: null, low: 'MiXed' },
  { _id: 5, n: Long.fromNumber(1), k: 5, b: 'true', low: ['mixed', 'other'] },
  { _id: 6, n: new Double(-0), m: new Double(5), sub: { x: null } },
  { _id: 7, n: Decimal128.fromString('1'), hidden: 1, sub: [{ x: 1 }] },
  { _id: 8, k: '', n: 1e300, sub: {}, u: new Binary(UID.buffer, 0), empty: [] },
  { _id: 9 },
];
const EXACT_FIELDS = {
  k: { type: 'token' },
  low: { type: 'token', normalizer: 'lowercase' },
  n: { type: 'number' },
  d: { type: 'date' },
  b: { type: 'boolean' },
  o: { type: 'objectId' },
  u: { type: 'uuid' },
  empty: { type: 'token' },
  m: [{ type: 'token' }, { type: 'number' }, { type: 'date' }],
  sub: { type: 'document', fields: { x: { type: 'number' } } },
};

describe('equals and in', () => {
  const is = (path: string, value: unknown) => ({ equals: { path, value } });
  const among = (path: unknown, value: unknown) => ({ in: { path, value } });
  finds(
    () => indexed(EXACT_FIELDS, EXACT),
    [
      ['a token is equal to the letter, in arrays too', is('k', 'Alpha'), [1, 3]],
      ['a token is the whole string', is('k', 'Alph'), []],
      ['an empty token can be asked for', is('k', ''), [8]],
      ['a lowercase token is equal whatever its letters', is('low', 'mIXED'), [4, 5]],
      ['numbers of all integer and floating types are equal', is('n', 1), [1, 3, 5]],
      ['a long can be asked for', is('n', Long.fromNumber(1)), [1, 3, 5]],
      ['zero equals minus zero', is('n', 0), [6]],
      ['dates are equal to the millisecond', is('d', DAY), [1, 3]],
      ['booleans', is('b', false), [2]],
      ['object ids', is('o', OID), [1]],
      ['uuids, not other binaries', is('u', UID), [1]],
      ['null is a null, not a missing value', is('k', null), [4]],
      ['null is found in arrays', is('m', null), [3]],
      ['null is found below documents', is('sub.x', null), [6]],
      ['a value of another type than the mapping finds nothing', is('b', 1), []],
      ['several types at one path: token', is('m', 'x'), [1]],
      ['several types at one path: number', is('m', 5), [2, 6]],
      ['a path that is not mapped finds nothing', is('hidden', 1), []],
      ['in takes any of the values', among('n', [2.5, 7]), [2, 3]],
      ['in takes one value', among('k', 'beta'), [3]],
      ['in takes several paths', among(['n', 'm'], [5, 7]), [2, 3, 6]],
      ['in with values that are nowhere finds nothing', among('o', [new ObjectId()]), []],
    ],
  );
});

describe('compound', () => {
  const docs: Anything[] = [
    { _id: 1, t: 'red green blue', k: 'a' },
    { _id: 2, t: 'red green', k: 'b' },
    { _id: 3, t: 'red', k: 'a' },
    { _id: 4, k: 'a' },
    { _id: 5, unmapped: 1 },
  ];
  const k = (value: string) => ({ equals: { path: 'k', value } });
  const compound = (clauses: object) => ({ compound: clauses });
  finds(
    () => indexed({ t: { type: 'string' }, k: { type: 'token' } }, docs),
    [
      ['must wants every clause', compound({ must: [words('red'), words('green')] }), [2, 1]],
      ['must takes one clause without an array', compound({ must: words('blue') }), [1]],
      ['filter wants every clause', compound({ filter: [k('a'), words('red')] }), [1, 3]],
      ['should alone wants one of the clauses', compound({ should: [words('blue'), words('green')] }), [1, 2]],
      ['should beside must only adds to the score', compound({ must: k('a'), should: words('blue') }), [1, 3, 4]],
      ['should beside filter only adds to the score', compound({ filter: k('a'), should: words('red') }), [3, 1, 4]],
      [
        'minimumShouldMatch wants so many',
        compound({ should: [words('red'), words('green'), words('blue')], minimumShouldMatch: 3 }),
        [1],
      ],
      [
        'minimumShouldMatch holds beside filter',
        compound({ filter: k('a'), should: [words('red'), words('green')], minimumShouldMatch: 1 }),
        [1, 3],
      ],
      ['compounds nest', compound({ must: [compound({ should: [k('b'), words('blue')] })] }), [2, 1]],
      ['nothing for a clause that finds nothing', compound({ must: [words('red'), words('nowhere')] }), []],
    ],
  );
});

describe('refusals', () => {
  const refused: [title: string, operator: object, code: number][] = [
    ['queryString', { queryString: { defaultPath: 't', query: 'a' } }, 238],
    ['autocomplete', { autocomplete: { path: 't', query: 'a' } }, 238],
    ['wildcard', { wildcard: { path: 't', query: 'a*' } }, 238],
    ['regex', { regex: { path: 't', query: 'a.*' } }, 238],
    ['range', { range: { path: 'n', gt: 1 } }, 238],
    ['exists', { exists: { path: 'n' } }, 238],
    ['mustNot', { compound: { mustNot: words('a') } }, 238],
    ['matchCriteria', { text: { query: 'a', path: 't', matchCriteria: 'all' } }, 238],
    ['moreLikeThis', { moreLikeThis: { like: {} } }, 238],
    ['near', { near: { path: 'n', origin: 1, pivot: 1 } }, 238],
    ['embeddedDocument', { embeddedDocument: { path: 't', operator: {} } }, 238],
    ['facet', { facet: { facets: {} } }, 238],
    ['highlight', { ...words('a'), highlight: { path: 't' } }, 238],
    ['count', { ...words('a'), count: { type: 'total' } }, 238],
    ['sort', { ...words('a'), sort: { n: 1 } }, 238],
    ['searchAfter', { ...words('a'), searchAfter: 'x' }, 238],
    ['concurrent', { ...words('a'), concurrent: true }, 238],
    ['returnStoredSource', { ...words('a'), returnStoredSource: true }, 238],
    ['scoreDetails', { ...words('a'), scoreDetails: true }, 238],
    ['synonyms', words('a', 't', { synonyms: 'x' }), 238],
    ['a path pattern', words('a', ['t', { wildcard: '*' }]), 238],
    ['a path with multi', words('a', { value: 't', multi: 'm' }), 238],
    ['score by function', words('a', 't', { score: { function: {} } }), 238],
    ['score by dismax', { compound: { should: words('a'), score: { dismax: {} } } }, 238],
    ['boost by path', words('a', 't', { score: { boost: { path: 'n' } } }), 238],
    ['doesNotAffect', { equals: { path: 'n', value: 1, doesNotAffect: 'f' } }, 238],
    ['no operator', {}, 8],
    ['two operators', { ...words('a'), ...phrase('a') }, 8],
    ['an index that is no string', { index: 1, ...words('a') }, 8],
    ['no query', { text: { path: 't' } }, 8],
    ['an empty query', words(''), 8],
    ['no queries', words([]), 8],
    ['more words than Lucene takes', words('a '.repeat(1025)), 8],
    ['an operator that does not exist', { texts: { path: 't', query: 'a' } }, 238],
    ['no path', { text: { query: 'a' } }, 8],
    ['a query of another type', words(5), 8],
    ['maxEdits 3', fuzzy('a', { maxEdits: 3 }), 8],
    ['maxEdits 0', fuzzy('a', { maxEdits: 0 }), 8],
    ['maxExpansions 0', fuzzy('a', { maxExpansions: 0 }), 8],
    ['a negative prefixLength', fuzzy('a', { prefixLength: -1 }), 8],
    ['a broken prefixLength', fuzzy('a', { prefixLength: 1.5 }), 8],
    ['a boost of 0', words('a', 't', { score: { boost: { value: 0 } } }), 8],
    ['a boost that is no number', words('a', 't', { score: { boost: { value: 'x' } } }), 8],
    ['score by constant', words('a', 't', { score: { constant: { value: 1 } } }), 238],
    ['an empty compound', { compound: {} }, 8],
    ['a compound of empty clauses', { compound: { must: [] } }, 8],
    ['minimumShouldMatch beyond the clauses', { compound: { should: [words('a')], minimumShouldMatch: 2 } }, 8],
    ['minimumShouldMatch without should', { compound: { must: [words('a')], minimumShouldMatch: 1 } }, 8],
    ['equals without a value', { equals: { path: 'n' } }, 8],
    ['equals with a document', { equals: { path: 'n', value: {} } }, 8],
    ['equals with a Decimal128', { equals: { path: 'n', value: Decimal128.fromString('1') } }, 8],
    ['equals with a string on a path that is no token', { equals: { path: 't', value: 'a' } }, 8],
    ['equals on several paths', { equals: { path: ['n', 'm'], value: 1 } }, 8],
    ['in with a string on a path that is no token', { in: { path: 't', value: ['a'] } }, 8],
    ['in with values of two types', { in: { path: 'n', value: [1, 'a'] } }, 8],
    ['in with null', { in: { path: 'n', value: [null] } }, 8],
    ['in without values', { in: { path: 'n', value: [] } }, 8],
  ];
  let subject: Indexed;
  beforeAll(async () => {
    subject = await indexed({ t: { type: 'string' }, n: { type: 'number' } }, [{ _id: 1, t: 'a', n: 1 }]);
  });
  it.each(refused)('%s', async (_title, operator, code) => {
    expect(await failureOf(subject.ids(operator))).toMatchObject({ code });
  });

  const definitions: [title: string, definition: object, code: number][] = [
    ['dynamic mappings', { mappings: { dynamic: true, fields: {} } }, 238],
    ['dynamic documents', { mappings: { fields: { a: { type: 'document', dynamic: true, fields: {} } } } }, 238],
    ['the analyzer simple', { analyzer: 'lucene.simple', mappings: { fields: { a: { type: 'string' } } } }, 238],
    [
      'the analyzer whitespace',
      { mappings: { fields: { a: { type: 'string', analyzer: 'lucene.whitespace' } } } },
      238,
    ],
    ['another analyzer', { analyzer: 'lucene.german', mappings: { fields: { a: { type: 'string' } } } }, 238],
    ['another analyzer of a field', { mappings: { fields: { a: { type: 'string', analyzer: 'mine' } } } }, 238],
    [
      'another searchAnalyzer',
      { searchAnalyzer: 'lucene.english', mappings: { fields: { a: { type: 'string' } } } },
      238,
    ],
    ['own analyzers', { analyzers: [], mappings: { fields: {} } }, 238],
    ['synonyms', { synonyms: [], mappings: { fields: {} } }, 238],
    ['storedSource', { storedSource: true, mappings: { fields: {} } }, 238],
    ['autocomplete', { mappings: { fields: { a: { type: 'autocomplete' } } } }, 238],
    ['embeddedDocuments', { mappings: { fields: { a: { type: 'embeddedDocuments' } } } }, 238],
    ['multi', { mappings: { fields: { a: { type: 'string', multi: {} } } } }, 238],
    ['norms omitted', { mappings: { fields: { a: { type: 'string', norms: 'omit' } } } }, 238],
    ['index options without positions', { mappings: { fields: { a: { type: 'string', indexOptions: 'docs' } } } }, 238],
    ['int64 numbers', { mappings: { fields: { a: { type: 'number', representation: 'int64' } } } }, 238],
    ['another normalizer', { mappings: { fields: { a: { type: 'token', normalizer: 'x' } } } }, 238],
    ['an analyzer of a token', { mappings: { fields: { a: { type: 'token', analyzer: 'lucene.english' } } } }, 238],
    ['no mappings', {}, 2],
    ['fields that are no document', { mappings: { fields: 5 } }, 2],
  ];
  it.each(definitions)('a definition with %s', async (_title, definition, code) => {
    const collection = engine.fresh();
    await collection.insertOne({});
    expect(await failureOf(collection.createSearchIndex({ name: 'x', definition }))).toMatchObject({ code });
  });
});
