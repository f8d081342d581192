import { Binary, serialize } from 'bson';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { compileKernel, type Kernel } from '../../src/search/vector/kernel.ts';
import { VectorTable } from '../../src/search/vector/table.ts';

const start = compileKernel();

function tableOf(vectors: readonly Float32Array[], kernels: Kernel[] = []): VectorTable {
  const dimensions = vectors[0]?.length ?? 1;
  const field = { path: 'v', parts: ['v'], dimensions, similarity: 'cosine' } as const;
  const begin = (): Kernel => {
    const kernel = start();
    kernels.push(kernel);
    return kernel;
  };
  const table = new VectorTable(field, [], begin, () => undefined);
  for (const [row, vector] of vectors.entries()) table.put(row, serialize({ v: Binary.fromFloat32Array(vector) }));
  return table;
}

/** A vector near one of few others, or equal to it, of any length that floats have. */
const collection = fc.record({
  dimensions: fc.constantFrom(1, 3, 32, 33, 100, 384),
  seed: fc.integer(),
  count: fc.integer({ min: 1, max: 300 }),
  centres: fc.integer({ min: 1, max: 5 }),
  spread: fc.constantFrom(0, 1e-7, 1e-4, 0.01, 0.5, 5),
  lengths: fc.constantFrom([1], [1, 1e-3, 1e4], [1e-18, 1e17]),
  limit: fc.integer({ min: 1, max: 40 }),
});

function numbersFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
}

describe('the nearest by cosine', () => {
  it('are the same under a limit, which leaves most out by short vectors, as those of a comparison of all', () => {
    fc.assert(
      fc.property(collection, ({ dimensions, seed, count, centres, spread, lengths, limit }) => {
        const next = numbersFrom(seed);
        const vector = (): number[] => Array.from({ length: dimensions }, next);
        const middles = Array.from({ length: centres }, vector);
        const near = (n: number, by: number): Float32Array => {
          const length = lengths[n % lengths.length] ?? 1;
          return Float32Array.from(middles[n % centres] ?? [], (number) => (number + by * next()) * length);
        };
        const table = tableOf(Array.from({ length: count }, (_, n) => near(n, spread)));
        for (let row = 0; row < count; row += 7) table.put(row, undefined);
        for (const query of [near(0, spread), near(1, 2), Float32Array.from(vector())]) {
          if (Math.hypot(...query) === 0) continue;
          const all = table.search(query, count, undefined);
          expect(table.search(query, limit, undefined)).toEqual(all.slice(0, limit));
        }
      }),
      {
        numRuns: 300,
        examples: [
          // A square that floats hold to a few bits only.
          [
            {
              dimensions: 1,
              seed: 2_147_483_122,
              count: 11,
              centres: 3,
              spread: 0.5,
              lengths: [1e-18, 1e17],
              limit: 1,
            },
          ],
        ],
      },
    );
  });

  it('are found by comparing few in full', () => {
    const next = numbersFrom(7);
    const vectors = Array.from({ length: 5000 }, () => Float32Array.from({ length: 384 }, next));
    const kernels: Kernel[] = [];
    const table = tableOf(vectors, kernels);
    const dot = vi.spyOn(kernels[0] as Kernel, 'dot');
    expect(table.search(vectors[42] as Float32Array, 10, undefined)[0]).toMatchObject({ row: 42 });
    const compared = dot.mock.calls.reduce((sum, [, , bytes]) => sum + bytes / 4, 0);
    expect(compared).toBeGreaterThanOrEqual(10);
    expect(compared).toBeLessThan(500);
  });
});
