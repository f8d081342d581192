import { describe, expect, test } from 'vitest';
import { boundedOutputs, boundedQuestion } from '#app/agents/run-record.ts';

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

describe('What is kept of a run', () => {
  test('outputs are kept as they are', () => {
    const outputs = { fields: { total: 12.5, lines: ['a'] }, none: null };
    expect(boundedOutputs(outputs)).toBe(outputs);
  });

  test.each([
    ['names that a database reads as operators', { a: { $where: '1' } }],
    ['a name with NUL', { a: { 'x\0': 1 } }],
    ['a number beyond every double', { a: Number.POSITIVE_INFINITY }],
    ['more than 32 levels', { a: deep(40) }],
    ['more than 256 KiB', { a: 'x'.repeat(300_000) }],
  ])('outputs with %s are told as previews', (_what, outputs) => {
    expect(boundedOutputs(outputs)).toEqual({ a: { preview: expect.any(String) } });
  });

  test('so is the data of a question', () => {
    const question = boundedQuestion({ path: 'q', prompt: 'Well?', data: { $set: 1 } });
    expect(question).toMatchObject({ path: 'q', data: { preview: '{"$set":1}' }, answerSchema: null });
  });
});
