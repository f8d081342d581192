// oxlint-disable unicorn/no-array-fill-with-reference-type -- a template is no array
import { describe, expect, test } from 'vitest';
import { configRefs, resolveConfig } from '#graphs/expression/config.ts';
import { parseTemplate } from '#graphs/expression/template.ts';
import { AppError } from '#src/domain/app-error.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const scope = { name: 'Ann', total: 3, trick: '{{ name }}', parts: [1, { a: null }] };
const fill = (text: string): string => parseTemplate(text).fill(scope);

describe('A template', () => {
  test.each([
    ['Hello {{ name }}: {{total * 2}}', 'Hello Ann: 6'],
    ['{{ parts }} {{ missing }}|', '[1,{"a":null}] |'],
    ['{{ {"a": {"b": total}} }}', '{"a":{"b":3}}'],
    ['{{ "}}" + name }}', '}}Ann'],
    ["{{constructor.constructor('return 1')()}}", "{{constructor.constructor('return 1')()}}"],
    [
      '{{ name.__proto__ }} {{ not an expression }} {{}} {{ {{ name',
      '{{ name.__proto__ }} {{ not an expression }} {{}} {{ {{ name',
    ],
    ['{{ trick }}', '{{ name }}'],
    ['no placeholder } } { {', 'no placeholder } } { {'],
  ])('%s', (text, filled) => {
    expect(fill(text)).toBe(filled);
  });

  test('names its channels and what stays literal', () => {
    const { names, literals } = parseTemplate('{{ name }} {{ total + name }} {{ bad one }}');
    expect(names).toEqual(['name', 'total']);
    expect(literals).toEqual(['{{ bad one }}']);
  });

  test('lets the caller write values', () => {
    expect(parseTemplate('<{{ name }}>').fill(scope, (value) => JSON.stringify(value))).toBe('<"Ann">');
  });

  test('ends soon however it is written', () => {
    const computed = cpuClock();
    expect(fill('{{'.repeat(100_000))).toHaveLength(200_000);
    expect(() => fill('{{}}'.repeat(600))).toThrow(AppError);
    expect(() => parseTemplate('{{ total }}'.repeat(501))).toThrow('more than 500 placeholders');
    expect(() => parseTemplate('{{ big }}'.repeat(100)).fill({ big: 'x'.repeat(60_000) })).toThrow('characters');
    expect(computed()).toBeLessThan(2_000);
  });
});

describe('A config', () => {
  const config = {
    url: 'x',
    headers: [{ value: { $secret: 'TOKEN' } }],
    deep: { a: { b: { $expr: 'total + 0.5' } } },
    both: { $expr: 'total', more: 1 },
    number: { $expr: 5 },
  };

  const values = new Map([['total + 0.5', 3.5]]);

  test('names its references at any depth', () => {
    expect(configRefs(config)).toEqual({
      expressions: [{ path: ['deep', 'a', 'b'], source: 'total + 0.5' }],
      secrets: [{ path: ['headers', 0, 'value'], name: 'TOKEN' }],
    });
  });

  test('is filled in without being changed', () => {
    const before = structuredClone(config);
    expect(resolveConfig(config, { values, secrets: new Map([['TOKEN', 's3cret']]) })).toEqual({
      ...config,
      headers: [{ value: 's3cret' }],
      deep: { a: { b: 3.5 } },
    });
    expect(config).toEqual(before);
  });

  test('tells which secret is missing', () => {
    expect(() => resolveConfig(config, { values, secrets: new Map() })).toThrow('no secret "TOKEN"');
  });

  test('does not expand what was filled in', () => {
    const value = resolveConfig(
      { a: { $expr: 'given' } },
      { values: new Map([['given', { $secret: 'TOKEN' }]]), secrets: new Map([['TOKEN', 's']]) },
    );
    expect(value).toEqual({ a: { $secret: 'TOKEN' } });
  });
});
