import { cpuClock } from '#test/support/cpu-time.ts';
import { describe, expect, test } from 'vitest';
import { answerProblem } from '#src/domain/runs/answer.ts';
import { ioOf } from '#graphs/define.ts';
import { review } from '#graphs/nodes/review.ts';
import { callNode } from '#test/graphs/support/call-node.ts';
import { errorOf } from '#test/support/servers/outside-server.ts';

describe('the question', () => {
  test('holds the filled prompt, the data and what an answer must be; nothing is written', async () => {
    const result = await callNode(review, {
      config: {
        prompt: 'Is {{ total }} right for {{ name }}?',
        data: { total: 'total', lines: 'size(lines)' },
        answer: ['yes', 'no'],
      },
      state: { total: 4.5, name: '{{ total }}', lines: [1, 2] },
    });
    expect(result).toEqual({
      update: {},
      wait: {
        prompt: 'Is 4.5 right for {{ total }}?',
        data: { total: 4.5, lines: 2 },
        answerSchema: { enum: ['yes', 'no'] },
        words: 'Is {1} right for {2}?',
        inserted: ['4.5', '{{ total }}'],
      },
    });
  });

  test('data over 16 KiB fails with the way out', async () => {
    const config = { prompt: 'Right?', data: { text: 'text' } };
    expect(await errorOf(callNode(review, { config, state: { text: 'x'.repeat(17_000) } }))).toMatch(
      /^expression\.failed: "data" is larger than 16 KiB/,
    );
  });

  test.each([
    [{ answer: { type: 'text' } }, '"type" must be of'],
    [{ answer: { pattern: '^(a+)+$' } }, 'keyword "pattern" is not supported'],
    [{ answer: { properties: { a: { $ref: '#' } } } }, 'keyword "$ref" is not supported'],
    [{ answer: { items: { minLength: 'x' } } }, '"minLength" must be a number'],
    [{ answer: { enum: [] } }, '"enum" must be a list'],
    [{ answer: { required: 'a' } }, '"required" must be a list'],
    [{ answer: { additionalProperties: {} } }, '"additionalProperties" must be true or false'],
  ])('a config with %j does not check: %s', (config, reason) => {
    const { error } = review.params.safeParse({ prompt: 'x', ...config });
    expect(JSON.stringify(error?.issues)).toContain(JSON.stringify(reason).slice(1, -1));
  });
});

describe('the answer', () => {
  test('that fits is written to the channel the config names', async () => {
    const config = { prompt: 'x', answer: ['yes', 'no'], output: 'verdict' };
    expect(await callNode(review, { config, answer: 'no' })).toEqual({ update: { verdict: 'no' } });
    expect(ioOf(review, config).writes).toEqual(['verdict']);
    expect(ioOf(review, {}).writes).toEqual(['answer']);
    expect(await callNode(review, { config: { prompt: 'x' }, answer: null })).toEqual({ update: { answer: null } });
  });

  test('that does not fit is request.invalid, with what would', async () => {
    const config = { prompt: 'x', answer: ['yes', 'no'] };
    expect(await errorOf(callNode(review, { config, answer: 'maybe' }))).toBe(
      'request.invalid: The answer does not match the schema of the question: answer must be one of "yes", "no".',
    );
  });
});

const person = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 4 },
    age: { type: ['integer', 'null'], minimum: 0, maximum: 150 },
    tags: { type: 'array', maxItems: 2, items: { enum: ['a', { b: 1, c: 2 }] } },
    kind: { const: 'person' },
  },
};

test.each([
  [{ name: 'Ann', age: 4, tags: ['a', { c: 2, b: 1 }], kind: 'person' }, null],
  [{ name: '😀😀😀😀', age: null }, null],
  ['Ann', 'answer must be of type object'],
  [null, 'answer must be of type object'],
  [[], 'answer must be of type object'],
  [{}, 'answer must have "name"'],
  [Object.create({ name: 'Ann' }), 'not plain JSON'],
  [{ name: 'Ann', toString: 1 }, 'answer has "toString", which is not among name, age, tags, kind'],
  [JSON.parse('{"name":"Ann","__proto__":1}'), 'answer has "__proto__"'],
  [{ name: 'A' }, 'answer.name must be at least 2 characters'],
  [{ name: 'Annas' }, 'answer.name must be at most 4 characters'],
  [{ name: 4 }, 'answer.name must be of type string'],
  [{ name: 'Ann', age: 4.5 }, 'answer.age must be of type integer or null'],
  [{ name: 'Ann', age: -1 }, 'answer.age must be at least 0'],
  [{ name: 'Ann', age: 151 }, 'answer.age must be at most 150'],
  [{ name: 'Ann', tags: ['a', 'b'] }, 'answer.tags[1] must be one of "a", {"b":1,"c":2}'],
  [{ name: 'Ann', tags: ['a', 'a', 'a'] }, 'answer.tags must be at most 2 items'],
  [{ name: 'Ann', kind: 'dog' }, 'answer.kind must be one of "person"'],
  [{ name: 'Ann', age: NaN }, 'not plain JSON'],
])('answer %j against a schema: %s', (answer, problem) => {
  const told = answerProblem({ answerSchema: person }, answer);
  if (problem === null) expect(told).toBeNull();
  else expect(told).toContain(problem);
});

test('what every object inherits is not there', () => {
  expect(answerProblem({ answerSchema: { required: ['constructor'] } }, {})).toBe('answer must have "constructor"');
});

test('any JSON up to 16 KiB answers a question that asks for nothing special', () => {
  expect(answerProblem({}, { any: ['thing'] })).toBeNull();
  expect(answerProblem({ answerSchema: null }, 'x'.repeat(16_382))).toBeNull();
  expect(answerProblem({ answerSchema: null }, 'x'.repeat(16_383))).toContain('larger than 16 KiB');
});

test('an answer of thousands of values is compared with thousands of options in a second of computing', () => {
  const options = Array.from({ length: 3_000 }, (_, at) => at);
  const spent = cpuClock();
  const answer = Array.from({ length: 3_000 }, () => 2_999);
  expect(answerProblem({ answerSchema: { type: 'array', items: { enum: options } } }, answer)).toBeNull();
  expect(spent()).toBeLessThan(1_000);
});

test('a schema of answers over 16 KiB is refused', () => {
  const parsed = review.params.safeParse({ prompt: 'x', answer: { description: 'x'.repeat(17_000) } });
  expect(JSON.stringify(parsed.error?.issues)).toContain('larger than 16 KiB; ask for less');
});
