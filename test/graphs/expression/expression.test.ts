import { describe, expect, test } from 'vitest';
import { parseExpression } from '#graphs/expression/expression.ts';
import { watched } from '#graphs/expression/watchdog.ts';
import { describeFunctions } from '#graphs/expression/functions.ts';
import { AppError } from '#src/domain/app-error.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const scope = {
  total: 3,
  name: 'Ann',
  type: 'invoice',
  nothing: null,
  pages: [
    { n: 1, text: 'a' },
    { n: 2, text: 'b' },
  ],
  evil: JSON.parse('{"__proto__": {"x": 1}, "constructor": "c", "prototype": 2, "ok": 1}') as unknown,
};

const evaluate = (source: string, values: Record<string, unknown> = scope): unknown =>
  parseExpression(source).evaluate(values);

function errorOf(task: () => unknown): AppError {
  try {
    task();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('An expression', () => {
  test.each<[string, unknown]>([
    ['total > 2 && type == "invoice"', true],
    ['pages.filter(p, p.n > 1).map(p, p.text)', ['b']],
    ['pages.exists(p, p.text == "b") || missing', true],
    ['pages[total - 2].text', 'b'],
    ['{"sum": total, "names": [name, null]}', { sum: 3, names: ['Ann', null] }],
    ['total > 5 ? name : null', null],
    ['has(nothing.x) ? 1 : "none"', 'none'],
    ['"x" in ["x"] && total in [1, 3]', true],
    ['timestamp("2024-01-02T03:04:05Z")', '2024-01-02T03:04:05.000Z'],
    ['cel.bind(twice, total * 2, twice + 1)', 7],
    ['1 + 2.5', 3.5],
    ['7 / 2', 3],
    ['total / 2', 1.5],
    ['size(pages) * 1.5 - total % 2', 2],
    ['total * 2 == 6 && 1 == 1.0', true],
    ['size(pages)', 2],
    ['missing == null', true],
    ['default(missing.deep.deeper, "none")', 'none'],
    ['default(pages[9].n, 4)', 4],
    ['range(total).map(i, i * 2)', [0, 2, 4]],
    ['lower(name) + name.upper() + trim("  x ")', 'annANNx'],
    ['join(split("a,b", ","), "-") + join([1, true], "")', 'a-b1true'],
    ['name.replace("n", "$&") + replace("aa", "a", "b")', 'A$&$&bb'],
    ['[round(2.5), round(1.005, 2), round(total)]', [3, 1.01, 3]],
    ['[min([3, 1.5]), max(total, 7), max([]), sum([1, 2.5])]', [1.5, 7, null, 3.5]],
    ['json({"a": [total]})', '{"a":[3]}'],
    ['name.substring(0, total - 1)', 'An'],
    ['-0.0', 0],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  test.each<[string, number | null]>([
    ['1,234.50', 1234.5],
    ['1.234,50', 1234.5],
    ["€ 1'234.5", 1234.5],
    ['1,234', 1234],
    ['1.234', 1.234],
    ['EUR 12,5', 12.5],
    ['1.234.567', 1234567],
    ['-0,75', -0.75],
    ['1,2,3.4.5', null],
    ['twelve', null],
    ['', null],
  ])('number(%j) is %j', (text, value) => {
    expect(evaluate('number(text)', { text })).toBe(value);
  });

  test('names what it needs, without its own variables', () => {
    expect(parseExpression('pages.map(p, p.n + total) == other[name].x').names).toEqual([
      'pages',
      'total',
      'other',
      'name',
    ]);
    expect(parseExpression('cel.bind(a, b, a + c)').names.toSorted()).toEqual(['b', 'c']);
  });

  test('tells a mistake in words, with its place', () => {
    const fault = errorOf(() => parseExpression('total +'));
    expect(fault.code).toBe('workflow.invalid');
    expect(fault.detail).toMatch(/^"total \+" is not a valid expression at character 8: .+\.$/);
    expect(errorOf(() => evaluate('name * 2')).code).toBe('expression.failed');
    expect(errorOf(() => evaluate('nothing.x')).detail).toContain('No such key: x');
  });

  test('has a table of functions without doubles', () => {
    const signatures = describeFunctions().map(({ signature }) => signature);
    expect(new Set(signatures).size).toBe(signatures.length);
  });
});

describe('An attack with an expression', () => {
  test.each([
    'evil.constructor',
    'evil["__proto__"]',
    'evil["proto" + "type"]',
    'evil["constr" + "uctor"]("return 1")',
    'name.constructor',
    '"a"["constructor"]',
    'pages.map(p, p["constr" + "uctor"])',
    'constructor',
    '__proto__',
    '{"__proto__": 1}',
    'pages.length',
    'type(1)["name"]',
    'bytes("a").buffer',
  ])('yields nothing: %s', (source) => {
    expect(() => evaluate(source)).toThrow(AppError);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('sees no inherited name, getter, function or hidden key', () => {
    let called = false;
    const values = {
      trap: {
        get secret() {
          called = true;
          return 1;
        },
        run: () => 1,
        plain: 2,
      },
    };
    expect(evaluate('toString == null && hasOwnProperty == null')).toBe(true);
    expect(evaluate('trap', values)).toEqual({ run: null, plain: 2 });
    expect(called).toBe(false);
    expect(evaluate('evil')).toEqual({ ok: 1 });
  });

  test('changes neither its scope nor Object.prototype', () => {
    const before = JSON.stringify(scope);
    const names = Reflect.ownKeys(Object.prototype).length;
    const result = evaluate('{"__pro" + "to__": {"x": 1}, "a": pages}') as { a: { n: number }[] };
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    const [page] = result.a;
    if (page) page.n = 99;
    expect(JSON.stringify(scope)).toBe(before);
    expect(Reflect.ownKeys(Object.prototype)).toHaveLength(names);
  });

  test.each([
    ['a regular expression', '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")'],
    ['nested ranges', 'range(1000).map(a, range(1000).map(b, range(1000)))'],
    ['comparisons', 'range(1000).all(a, range(1000).all(b, range(1000) == range(1000)))'],
  ])('with %s ends soon', (_, source) => {
    const computed = cpuClock();
    expect(errorOf(() => evaluate(source)).code).toBe('expression.failed');
    expect(computed()).toBeLessThan(2_000);
  });

  test('is measured in processor time: waiting for the processor does not count', () => {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    const waits = (): string => {
      Atomics.wait(clock, 0, 0, 70);
      return 'done';
    };
    expect(watched(waits)).toBe('done');
  });

  test.each([
    ['doubled texts', `["aaaaaaaaaaaaaaaa"]${'.map(a, a + a)'.repeat(20)}`],
    ['doubled lists', `cel.bind(a, range(1000), ${'cel.bind(a, a + a, '.repeat(15)}a${')'.repeat(15)})`],
    ['a replacement', 'text.replace("a", text)'],
    ['joined texts', '[text, text, text, text, text, text, text, text, text, text, text].join(text)'],
    ['a large result', 'text'],
    ['many parts', 'range(1000).map(i, range(100))'],
    ['a deep value', 'deep'],
  ])('with %s is refused', (_, source) => {
    const text = 'a'.repeat(100_000);
    const deep = JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown;
    expect(errorOf(() => evaluate(source, { text, deep })).code).toMatch(/^(expression\.failed|workflow\.invalid)$/);
  });

  test.each([
    ['a text', '[text + text].map(a, a + a).map(a, a + a).map(a, a + a).map(a, a + a).map(a, size(a))'],
    ['a list', 'cel.bind(a, range(1000), cel.bind(b, a+a+a+a+a+a+a+a+a+a+a, size(b+b+b+b+b+b+b+b+b+b+b)))'],
    ['much altogether', 'range(1000).map(i, (text + text).startsWith("b"))'],
  ])('that makes %s too long on the way is stopped before memory grows', (_, source) => {
    const fault = errorOf(() => evaluate(source, { text: 'a'.repeat(100_000) }));
    expect(fault.detail).toContain('text or list that is too long');
  });

  test.each([
    ['characters', `"${'a'.repeat(2_000)}"`],
    ['levels', `${'('.repeat(60)}1${')'.repeat(60)}`],
    ['items', `[${'1,'.repeat(300)}]`],
    ['nodes', Array.from({ length: 400 }, () => '1').join('+')],
    ['comprehensions inside each other', 'a.map(x, a.map(y, a.map(z, 1)))'],
  ])('with too many %s does not parse', (_, source) => {
    expect(errorOf(() => parseExpression(source)).code).toBe('workflow.invalid');
  });
});
