import { describe, expect, test } from 'vitest';
import { fileNameOf, searchableName } from '#src/domain/documents/file-name.ts';

describe('The name of a file', () => {
  test.each([
    ['scan.pdf', 'scan.pdf'],
    ['C:\\fakepath\\Rechnung März.pdf', 'Rechnung März.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['a/b\\c.png', 'c.png'],
    ['  two \n lines\t.pdf ', 'two lines .pdf'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['nul\0l\uD800.pdf', 'null.pdf'],
    ['Ru\u0308ck.pdf', 'Rück.pdf'],
    ['.env', '.env'],
  ])('%j is kept as %j', (given, kept) => {
    expect(fileNameOf(given)).toBe(kept);
  });

  test.each(['/', 'folder/', '..', '../..', ' ', '\u200B\u0007'])('%j is none', (given) => {
    expect(fileNameOf(given)).toBeNull();
  });

  test('has its words apart for search', () => {
    expect(searchableName('scan_of_invoice.pdf')).toBe('scan of invoice.pdf');
  });
});
