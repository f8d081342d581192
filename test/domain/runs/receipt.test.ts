import { describe, expect, test } from 'vitest';
import { receiptOf, receiptStepsListed } from '#src/domain/runs/receipt.ts';
import type { RunReceipt } from '#src/domain/runs/run.ts';
import { verifyReceipt } from '#test/support/integrity/verify-receipt.ts';

const head = {
  runId: 'run_a',
  workflowId: 'wf_a',
  version: 3,
  graphHash: 'abc',
  documentId: 'doc_a',
  documentSha256: 'def',
};
const step = (path: string) => ({
  path,
  node: 'ocr@1',
  attempt: 1,
  status: 'succeeded' as const,
  modelLabel: 'local/m',
  outputDigest: 'digest',
  cachedFrom: null,
});
const steps = (count: number) => Array.from({ length: count }, (_, at) => step(`pages[${at}]/ocr`));

/** Every way to change one leaf of a value, with its path. */
function* tampered(value: unknown, path = ''): Generator<[string, unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path, typeof value === 'number' ? value + 1 : `${String(value)}x`];
    return;
  }
  for (const [key, child] of Object.entries(value))
    for (const [where, changed] of tampered(child, `${path}/${key}`))
      yield [where, Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }];
}

describe('A receipt', () => {
  test('verifies as it was made, also after a way through JSON', () => {
    for (const outputs of [null, {}, { text: 'x', n: [1, { b: 1, a: 2 }] }]) {
      const receipt = receiptOf(head, steps(3), outputs);
      expect(verifyReceipt(receipt)).toBe(true);
      expect(verifyReceipt(JSON.parse(JSON.stringify(receipt)) as RunReceipt)).toBe(true);
    }
    expect(verifyReceipt(receiptOf(head, [], null))).toBe(true);
  });

  const whole = receiptOf(head, steps(2), { text: 'x' });
  test.each([...tampered(whole)])('does not verify when %s was changed', (_path, changed) => {
    expect(verifyReceipt(changed as RunReceipt)).toBe(false);
  });

  test('does not verify when a step is missing, doubled, or in another place', () => {
    const [first, second, third] = receiptOf(head, steps(3), null).steps as [never, never, never];
    const receipt = receiptOf(head, steps(3), null);
    for (const listed of [[], [first], [first, third], [second, first, third], [first, first, second, third]])
      expect(verifyReceipt({ ...receipt, steps: listed })).toBe(false);
  });

  test('differs by what was run, over which document, and by what came out', () => {
    const hashes = [
      receiptOf(head, steps(1), null),
      receiptOf({ ...head, graphHash: 'other' }, steps(1), null),
      receiptOf({ ...head, documentSha256: null }, steps(1), null),
      receiptOf(head, steps(2), null),
      receiptOf(head, steps(1), {}),
      receiptOf(head, steps(1), { a: 1 }),
    ].map((receipt) => receipt.hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(receiptOf(head, steps(1), { a: 1, b: 2 }).hash).toBe(receiptOf(head, steps(1), { b: 2, a: 1 }).hash);
  });

  test('lists a bounded number of steps; the others are in its hash, and it can no longer be verified', () => {
    const many = steps(receiptStepsListed + 5);
    const receipt = receiptOf(head, many, null);
    expect(receipt.steps).toHaveLength(receiptStepsListed);
    expect(receipt.stepsLeftOut).toBe(5);
    expect(verifyReceipt(receipt)).toBe(false);
    expect(verifyReceipt({ ...receipt, stepsLeftOut: 0 })).toBe(false);
    const last = { ...step('other'), outputDigest: 'changed' };
    expect(receiptOf(head, [...many.slice(0, -1), last], null).hash).not.toBe(receipt.hash);
  });
});
