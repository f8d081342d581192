import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifierLimits, identifiersOf, queryIdentifiers } from '#src/domain/documents/identifiers.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

describe('Identifiers', () => {
  test.each([
    ['Invoice INV-2024/0042 of 12.05.2024', ['inv20240042', '2024', '0042', '12052024', '2024']],
    ['IBAN DE89 3704', ['de89', '3704', 'ibande89', 'ibande893704', 'de893704']],
    ['RE 2024/0815 from page 12', ['20240815', '2024', '0815', 're20240815']],
    ['1,234.56 or 4\u00a0982,80 or 4711,4712', ['123456', '234', '98280', '982', '4711', '4712', '498280']],
    ['Nr. ４２７, Größe 12ä3', ['427', '12a3']],
    ['no numbers, no 12 and no a1', []],
    ['ends with a full stop: 4711.', ['4711']],
    ['INV–2024–7', ['inv20247', '2024']],
    ['', []],
  ])('%j gives %j', (text, expected) => {
    expect(identifiersOf(text)).toEqual([...new Set(expected)]);
  });

  test('a query names a code as a whole, however it is punctuated', () => {
    expect(queryIdentifiers('where is inv 2024-0042?')).toEqual(['20240042', 'inv20240042']);
    for (const written of ['INV-2024/0042', 'inv.2024.0042', 'INV20240042']) {
      expect(identifiersOf('Number INV-2024-0042')).toEqual(expect.arrayContaining(queryIdentifiers(written)));
    }
    for (const printed of ['INV-2024-0042', 'INV 2024 0042', 'INV 2024/0042'])
      for (const written of ['inv 2024 0042', 'INV 2024-0042', 'inv20240042'])
        expect(queryIdentifiers(written).filter((one) => identifiersOf(printed).includes(one))).toContain(
          'inv20240042',
        );
  });

  test('an amount is one whatever groups and divides its digits', () => {
    for (const written of ['1,234.56', '1.234,56', "1'234.56", '1234,56', '1 234,56', '1\u202f234,56'])
      expect(queryIdentifiers(written)).toContain('123456');
  });

  test('what spaces hold together never crowds out what is printed as one', () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `A${at}00`);
    expect(identifiersOf(many.join(' '))).toEqual(identifiersOf(many.join('\n')));
  });

  test('what a document can make us keep is bounded', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `A${at}00`).join(' ');
    expect(identifiersOf(many)).toHaveLength(identifierLimits.count);
    expect(queryIdentifiers(many)).toHaveLength(identifierLimits.queryCount);
    expect(identifiersOf('9'.repeat(65))).toEqual([]);
  });

  test('every identifier is of the promised form, and folding again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        for (const identifier of identifiersOf(text)) {
          expect(identifier).toMatch(/^[\p{L}\p{N}]+$/u);
          expect(identifier.length).toBeGreaterThanOrEqual(3);
          expect(identifier.length).toBeLessThanOrEqual(identifierLimits.characters);
          expect(identifiersOf(identifier)).toEqual([identifier]);
        }
      }),
    );
  });

  test('hostile text takes no longer than its length explains', () => {
    const computed = cpuClock();
    identifiersOf('a-'.repeat(500_000));
    identifiersOf('1.'.repeat(500_000));
    expect(computed()).toBeLessThan(3_000);
  });
});
