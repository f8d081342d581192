import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSource, readSources } from '#test/architecture/source.ts';
import { provable } from '#test/support/verifies.ts';
import { coverageCounts, coverageViolations } from './coverage.ts';
import { chapters, deferred, proved } from './requirement.ts';
import { requirements } from './requirements.ts';

const root = resolve(import.meta.dirname, '../..');
const tests = readSources(root).filter((source) => source.path.startsWith('test/'));

describe('the specification', () => {
  test('every statement to be proved has a test, and nothing else claims to prove one', () => {
    process.stdout.write(`${coverageCounts(requirements, tests)}\n`);
    expect(coverageViolations(requirements, tests, (path) => existsSync(join(root, path)))).toEqual([]);
  });

  test('every chapter of the specification has rows', () => {
    expect(new Set(requirements.map((row) => row.chapter))).toEqual(new Set(chapters));
    expect(requirements.length).toBeGreaterThan(200);
  });

  test('ids are short dotted words', () => {
    const odd = requirements.filter((row) => !/^[a-z]+(\.[a-z][a-z_]*){1,3}$/.test(row.id) || row.id.length > 45);
    expect(odd.map((row) => row.id)).toEqual([]);
  });
});

describe('the guard itself', () => {
  const rows = [
    ...proved('Resources', { 'a.one': 'One', 'a.two': ['Two', '0001-two'] }),
    ...deferred('States', 'mcp', { 'b.one': 'Later' }),
  ];
  const violations = (text: string): string[] =>
    coverageViolations(rows, [readSource('test/a.test.ts', text)], () => true);
  const both = "verifies('a.one', f); verifies('a.two', f);";

  test('a row with a proof is no violation', () => {
    expect(violations(both)).toEqual([]);
  });

  test('a statement without a test is told', () => {
    expect(violations("verifies('a.two', f); // verifies('a.one', f)")).toEqual(['a.one has no test: One']);
  });

  test('an unknown id, a deferred one and one that is not written out are told', () => {
    expect(violations(`${both}\nverifies('a.three', f);\nverifies('b.one', f);\nverifies(id, f);`)).toEqual([
      'test/a.test.ts:2 proves a.three, which no row has',
      'test/a.test.ts:3 proves b.one, which is deferred to mcp',
      'test/a.test.ts:4 calls verifies with an id that is not written out',
    ]);
  });

  test('repeated ids and statements are told', () => {
    const source = [readSource('test/a.test.ts', both)];
    const twice = coverageViolations([...rows, ...proved('Errors', { 'a.one': 'Three' })], source, () => true);
    expect(twice).toEqual(['a.one is the id of two rows']);
    const same = coverageViolations([...rows, ...deferred('Errors', 'mcp', { 'a.four': 'One' })], source, () => true);
    expect(same).toEqual(['two rows say "One"']);
  });

  test('a decision that is not there is told', () => {
    expect(coverageViolations(rows, [readSource('test/a.test.ts', both)], () => false)).toEqual([
      'a.two cites docs/decisions/0001-two.md, which does not exist',
    ]);
  });

  test('counts tell what is proved, still to prove and deferred', () => {
    expect(coverageCounts(rows, [readSource('test/a.test.ts', "verifies('a.one', f);")])).toBe(
      'specification: 3 statements, 1 of 2 proved, 1 deferred (mcp 1)',
    );
  });

  test('verifies takes neither an unknown nor a deferred id', () => {
    expect(provable('a.one', rows).behaviour).toBe('One');
    expect(() => provable('a.nine', rows)).toThrow('No requirement has the id a.nine');
    expect(() => provable('b.one', rows)).toThrow('Requirement b.one is deferred to mcp');
  });
});
