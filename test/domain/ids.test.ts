import { describe, expect, test } from 'vitest';
import { derivedId, idPrefixes, newId, siblingId, sortableToken, type IdKind } from '#src/domain/ids.ts';

describe('Ids', () => {
  test.each(Object.entries(idPrefixes) as [IdKind, string][])(
    'a new %s id is %s_ and 22 base62 characters',
    (kind, prefix) => {
      expect(newId(kind)).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{22}$`));
    },
  );

  test('prefixes are all different', () => {
    expect(new Set(Object.values(idPrefixes)).size).toBe(Object.values(idPrefixes).length);
  });

  test('ids sort by the millisecond they were made in', () => {
    const times = [0, 1, 999, 1_000, 1_700_000_000_000, 1_700_000_000_001, 4_102_444_800_000, 2 ** 48 - 1];
    const tokens = times.map((time) => sortableToken(new Date(time)));
    expect(tokens.toSorted()).toEqual(tokens);
    expect(tokens.every((token) => token.length === 22)).toBe(true);
  });

  test('ten thousand ids of one millisecond are different', () => {
    const now = new Date();
    expect(new Set(Array.from({ length: 10_000 }, () => newId('run', now))).size).toBe(10_000);
  });

  test('a derived id is the same for the same parts, and another for others', () => {
    const id = derivedId('run', 'exec_a', 'doc_a');
    expect(id).toMatch(/^run_[0-9A-Za-z]{22}$/);
    expect(derivedId('run', 'exec_a', 'doc_a')).toBe(id);
    const others = [
      derivedId('run', 'exec_a', 'doc_b'),
      derivedId('run', 'doc_a', 'exec_a'),
      derivedId('run', 'exec_adoc_a'),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
    expect(derivedId('step', 'exec_a', 'doc_a').slice(5)).toBe(id.slice(4));
  });

  test('a sibling keeps the token', () => {
    const token = sortableToken(new Date());
    expect([siblingId('document', token), siblingId('execution', token)]).toEqual([`doc_${token}`, `exec_${token}`]);
  });
});
