import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignSplits, type SplitItem } from '#src/domain/experiments/split.ts';
import { AppError } from '#src/domain/app-error.ts';

const item = (documentId: string, more: Partial<SplitItem> = {}): SplitItem => ({
  documentId,
  sha256: `digest of ${documentId}`,
  blockHash: null,
  ...more,
});
const many = (count: number, more: (at: number) => Partial<SplitItem> = () => ({})): SplitItem[] =>
  Array.from({ length: count }, (_, at) => item(`doc_${at}`, more(at)));
const sizes = (splits: ReadonlyMap<string, string>) => {
  const dev = [...splits.values()].filter((split) => split === 'dev').length;
  return { dev, holdout: splits.size - dev };
};

const hexDigits = fc.integer({ min: 0, max: 15 });
const items = fc.uniqueArray(
  fc.record({
    documentId: fc.string({ minLength: 1, maxLength: 8 }),
    sha256: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', null),
    blockHash: fc.option(
      fc.array(hexDigits, { minLength: 16, maxLength: 16 }).map((digits) => digits.map((d) => d.toString(16)).join('')),
    ),
  }),
  { selector: ({ documentId }) => documentId, minLength: 1, maxLength: 40 },
);

describe('assignSplits', () => {
  it('puts the share of the documents into dev', () => {
    expect(sizes(assignSplits(many(500), 'seed'))).toEqual({ dev: 300, holdout: 200 });
    expect(sizes(assignSplits(many(10), 'seed', 0.8))).toEqual({ dev: 8, holdout: 2 });
  });

  it('gives the same splits whatever the order of the documents, and others for another seed', () => {
    const documents = many(60);
    const splits = assignSplits(documents, 'one');
    expect(Object.fromEntries(assignSplits(documents.toReversed(), 'one'))).toEqual(Object.fromEntries(splits));
    expect([...assignSplits(documents, 'two')]).not.toEqual([...splits]);
  });

  it('keeps equal files together', () => {
    const splits = assignSplits(
      many(40, (at) => ({ sha256: `digest ${at % 20}` })),
      'seed',
    );
    for (let at = 0; at < 20; at++) expect(splits.get(`doc_${at}`)).toBe(splits.get(`doc_${at + 20}`));
    expect(sizes(splits)).toEqual({ dev: 24, holdout: 16 });
  });

  it('keeps pictures together that differ in 6 bits, and lets those go that differ in 7', () => {
    const pair = (other: string) => [item('a', { blockHash: 'c9363636c9c9c936' }), item('b', { blockHash: other })];
    const together = (seed: number, other: string) => {
      const splits = assignSplits(pair(other), String(seed));
      return splits.get('a') === splits.get('b');
    };
    const seeds = Array.from({ length: 20 }, (_, at) => at);
    expect(seeds.every((seed) => together(seed, 'c9363636c9c9c909'))).toBe(true);
    expect(seeds.some((seed) => together(seed, 'c9363636c9c9c989'))).toBe(false);
  });

  it('keeps copies of copies together', () => {
    const chain = ['c9363636c9c9c936', 'c9363636c9c9c909', 'c9363636c9c9f609'];
    const splits = assignSplits(
      [...chain.map((blockHash, at) => item(`copy_${at}`, { blockHash })), ...many(10)],
      'seed',
    );
    expect(new Set(chain.map((_, at) => splits.get(`copy_${at}`))).size).toBe(1);
  });

  it('does not merge nearly empty pages', () => {
    const blank = many(30, (at) => ({ blockHash: at % 2 === 0 ? 'ffffffffffffffff' : 'fffffffffffffffe' }));
    expect(sizes(assignSplits(blank, 'seed'))).toEqual({ dev: 18, holdout: 12 });
  });

  it('lets a chosen split hold for all copies', () => {
    const splits = assignSplits(
      [item('a', { sha256: 'x', split: 'holdout' }), item('b', { sha256: 'x' }), item('c', { sha256: 'x' }), item('d')],
      'seed',
    );
    expect(Object.fromEntries(splits)).toEqual({ a: 'holdout', b: 'holdout', c: 'holdout', d: 'dev' });
  });

  it('refuses copies with different chosen splits, and names them', () => {
    const conflict = [item('a', { sha256: 'x', split: 'dev' }), item('b', { sha256: 'x', split: 'holdout' })];
    const refused = () => assignSplits(conflict, 'seed');
    expect(refused).toThrow(AppError);
    expect(refused).toThrow(/dataset\.split_conflict: Documents a and b are copies/);
  });

  it('leaves neither split empty while a group is free for it', () => {
    const large = many(99, () => ({ sha256: 'same' }));
    expect(sizes(assignSplits([...large, item('other')], 'seed', 0.1))).toEqual({ dev: 1, holdout: 99 });
    const chosen = many(9, () => ({ split: 'dev' as const }));
    expect(sizes(assignSplits([...chosen, item('other')], 'seed', 0.9))).toEqual({ dev: 9, holdout: 1 });
    expect(sizes(assignSplits([item('only')], 'seed'))).toEqual({ dev: 1, holdout: 0 });
  });

  it('leaves neither split empty for two documents or more without copies', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 30 }),
        fc.string(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, seed, share) => {
          const { dev, holdout } = sizes(assignSplits(many(count), seed, share));
          expect(Math.min(dev, holdout)).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('assigns every document once, copies together, in any order, for all inputs', () => {
    fc.assert(
      fc.property(items, fc.string(), fc.double({ min: 0.1, max: 0.9, noNaN: true }), (documents, seed, share) => {
        const splits = assignSplits(documents, seed, share);
        expect(new Set(splits.keys())).toEqual(new Set(documents.map(({ documentId }) => documentId)));
        const again = assignSplits(documents.toReversed(), seed, share);
        for (const { documentId, sha256 } of documents) {
          expect(again.get(documentId)).toBe(splits.get(documentId));
          if (sha256 === null) continue;
          const copies = documents.filter((other) => other.sha256 === sha256);
          expect(new Set(copies.map((copy) => splits.get(copy.documentId))).size).toBe(1);
        }
      }),
      { numRuns: 200 },
    );
  });
});
