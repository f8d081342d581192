import { createHash } from 'node:crypto';
import { newStemmer } from 'snowball-stemmers';
import { expect, test } from 'vitest';
import { blockHash } from '#src/domain/embed-locally/block-hash.ts';
import { hashDistance } from '#test/domain/hash-distance.ts';
import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import { createLexicalVectors } from '#src/domain/embed-locally/lexical-vector.ts';
import { rasterSide } from '#src/domain/embed-locally/raster.ts';
import {
  besideEachOther,
  hashedDimensions,
  passagesOf,
  readsAsEnglish,
  sentenceDimensions,
} from '#src/domain/embed-locally/semantic-text.ts';
import { visualVector } from '#src/domain/embed-locally/visual-vector.ts';

const stemmer = newStemmer('english');
const vectors = createLexicalVectors((word) => stemmer.stem(word));

const documents = [
  'Invoice number INV-2024-00873 from Juniper Lane Joinery: walnut shelf board, steel bracket, oak dowel, delivery',
  'Minutes of the allotment society: the pump has been repaired, the waiting list, compost bins and the budget',
  'The ferry between Saltmarsh and Gull Island carries passengers and bicycles again across the channel',
  'Application for a resident parking permit: vehicle, license plate, zone north',
  'Receipt: oat milk, rye bread, eggs, tomatoes, green lentils, olive oil, dark chocolate',
];

function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

function ranking(query: string, from = vectors): number[] {
  const asked = from.query(query);
  const scores = documents.map((text) => cosine(asked, from.document(text)));
  return [...scores.keys()].toSorted((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
}

test('text is folded: case, accents, ligatures and full width do not matter', () => {
  expect(wordsOf(foldText('Ärzte CAFÉ ﬁne ＡＢＣ straße'))).toEqual(['arzte', 'cafe', 'fine', 'abc', 'strasse']);
});

test('scripts without spaces are read in pairs, and endless words in pieces', () => {
  expect(wordsOf(foldText('東京都'))).toEqual(['東京', '京都']);
  expect(wordsOf('x'.repeat(70)).map((word) => word.length)).toEqual([32, 32, 6]);
});

test('a vector has 1,536 dimensions and length 1, and is the same every time', () => {
  const vector = vectors.document(documents[0] ?? '');
  expect(vector).toHaveLength(1536);
  expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  expect(vectors.document(documents[0] ?? '')).toEqual(vector);
});

test('the vector of a text stays what stored vectors were made with', () => {
  const bytes = Buffer.from(vectors.document(documents[0] ?? '').buffer);
  expect(createHash('sha256').update(bytes).digest('hex').slice(0, 16)).toBe('70f92d0204c529ff');
});

test('a text without content words has the zero vector', () => {
  for (const text of ['', '—', 'the of and']) expect(vectors.document(text).every((value) => value === 0)).toBe(true);
});

test.each([
  ['repaired pumps', 1],
  ['walnut shelves', 0],
  ['ferries with bicycle', 2],
  ['00873', 0],
  ['parking permits', 3],
])('"%s" finds its document first', (query, expected) => {
  expect(ranking(query)[0]).toBe(expected);
});

test.each([
  ['recpeit chocolte lentls', 4],
  ['alotment socitey compst', 1],
  ['wallnut shelv joinry', 0],
  ['pasengers bicicles chanel', 2],
  ['resdent parkng permt', 3],
])('"%s" finds its document in spite of the typos', (query, expected) => {
  expect(ranking(query)[0]).toBe(expected);
});

test('query weights change queries, not documents', () => {
  const weighted = createLexicalVectors(
    (word) => stemmer.stem(word),
    (feature) => (feature === 's:ferri' ? 1 : 0),
  );
  expect(weighted.document(documents[2] ?? '')).toEqual(vectors.document(documents[2] ?? ''));
  expect(ranking('invoice walnut shelf board ferry', weighted)[0]).toBe(2);
  expect(weighted.query('nothing known').every((value) => value === 0)).toBe(true);
});

test('features are named by kind, each once', () => {
  expect([...vectors.features('Invoices, invoices')].toSorted()).toEqual(
    expect.arrayContaining(['g:_in', 'g:ces_', 'p:invoic invoic', 's:invoic']),
  );
});

test('characters after the first 100,000 do not count', () => {
  const long = 'word '.repeat(20_000);
  expect(vectors.document(`${long}zebra`)).toEqual(vectors.document(long));
});

function raster(paint: (x: number, y: number) => readonly [number, number, number]): { rgb: Uint8Array } {
  const rgb = new Uint8Array(rasterSide * rasterSide * 3);
  for (let pixel = 0; pixel < rasterSide * rasterSide; pixel++) {
    rgb.set(paint(pixel % rasterSide, Math.floor(pixel / rasterSide)), pixel * 3);
  }
  return { rgb };
}

const waves = raster((x, y) => {
  const light = 128 + 100 * Math.sin(x / 9) * Math.cos(y / 14);
  return [light, light, light];
});

test('a picture vector has 832 dimensions and length 1, and stays what stored vectors were made with', () => {
  const vector = visualVector(waves);
  expect(vector).toHaveLength(832);
  expect(cosine(vector, vector)).toBeCloseTo(1, 5);
  const coarse = [...vector].map((value) => Math.round(value * 1000)).join(',');
  expect(createHash('sha256').update(coarse).digest('hex').slice(0, 16)).toBe('68298e08bbff4951');
  expect(blockHash(waves)).toBe('c9363636c9c9c936');
});

test('an empty page has a finite vector and a hash of equal bits', () => {
  const white = raster(() => [255, 255, 255]);
  expect(visualVector(white).every(Number.isFinite)).toBe(true);
  expect(blockHash(white)).toBe('ffffffffffffffff');
  expect(blockHash(raster(() => [0, 0, 0]))).toBe('0000000000000000');
});

test('faint noise on empty paper flips no bit', () => {
  const noisy = raster((x, y) => {
    const light = 250 + ((x * 7 + y * 13) % 3);
    return [light, light, light];
  });
  expect(hashDistance(blockHash(noisy), 'ffffffffffffffff')).toBe(0);
});

test('the hash distance counts differing bits', () => {
  expect(hashDistance('0000000000000000', 'ffffffffffffffff')).toBe(64);
  expect(hashDistance('00000000000000f1', '00000000000000f2')).toBe(2);
});

test('texts of other languages, scripts and numbers alone are not given to an English model', () => {
  for (const text of ['How do wings behave?', 'late payment fee', 'The boiler was replaced in May.'])
    expect(readsAsEnglish(text), text).toBe(true);
  const others = ['', '12.50 4711', 'Wie hoch ist der Betrag?', 'le montant de la facture', 'Счёт за воду', '合計'];
  for (const text of others) expect(readsAsEnglish(text), text).toBe(false);
});

test('passages keep all words of a text up to their number, end at sentences, and are never empty', () => {
  const sentence = `${'word '.repeat(39)}end.`;
  expect(passagesOf(`${sentence} ${sentence}\n${sentence}`)).toEqual([sentence, sentence, sentence]);
  expect(passagesOf(' \n')).toEqual([]);
  const long = passagesOf('x '.repeat(60 * 500));
  expect(long).toHaveLength(64);
  expect(Math.max(...long.map((one) => one.split(' ').length))).toBe(60);
  expect(passagesOf('y'.repeat(100_000))).toEqual(['y'.repeat(64)]);
});

test('words and sentences have the same say in one unit vector; a half without direction is zero', () => {
  const hashed = new Float32Array(hashedDimensions);
  hashed[3] = 1;
  const sentence = new Float32Array(sentenceDimensions);
  sentence[5] = 7;
  const both = besideEachOther(hashed, [sentence, sentence]);
  expect([both[3], both[hashedDimensions + 5]]).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
  expect(besideEachOther(hashed, [])[3]).toBe(1);
  expect(besideEachOther(new Float32Array(hashedDimensions), []).some((value) => value !== 0)).toBe(false);
});
