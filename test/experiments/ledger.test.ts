import { expect, test } from 'vitest';
import { generationOf } from '#src/domain/experiments/dataset.ts';

const held = (...ids: string[]) =>
  ids.map((documentId) => ({ documentId, sha256: `bytes of ${documentId}`, split: 'holdout' as const }));
const at = (generation: number) => ({ generation, items: [] });

test('a holdout that was left and comes back goes on with its first ledger', () => {
  const first = new Map([['a', 1]]);
  expect(generationOf(at(1), held('b'), first)).toBe(2);
  const both = new Map([...first, ['b', 2] as const]);
  expect(generationOf(at(2), held('a'), both)).toBe(1);
  expect(generationOf(at(2), held('b', 'a'), both)).toBe(1);
  expect(generationOf(at(1), held('c'), both)).toBe(3);
  // The same bytes under another id.
  expect(generationOf(at(2), held('d'), new Map([...both, ['bytes of d', 1]]))).toBe(1);
});
