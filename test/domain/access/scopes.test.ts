import { describe, expect, test } from 'vitest';
import { grantedScopes, scopes } from '#src/contracts/scopes.ts';

describe('Scopes', () => {
  test('imply what one cannot do without', () => {
    expect([...grantedScopes(['runs:execute'])].toSorted()).toEqual(['runs:execute', 'runs:read']);
    expect([...grantedScopes(['documents:write'])].toSorted()).toEqual([
      'documents:read',
      'documents:write',
      'uploads:write',
    ]);
  });

  test('that only read imply nothing', () => {
    for (const scope of scopes.filter((one) => one.endsWith(':read')))
      expect([...grantedScopes([scope])]).toEqual([scope]);
  });

  test('granted are always scopes of the table, and nothing is granted for nothing', () => {
    expect(grantedScopes([]).size).toBe(0);
    for (const scope of grantedScopes(scopes)) expect(scopes).toContain(scope);
  });
});
