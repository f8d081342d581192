import { describe, expect, test } from 'vitest';
import { foldedForms, lightStem, looseText, looseWords } from '#src/domain/search/word-forms.ts';

describe('Forms of words', () => {
  test.each([
    ['Müller', ['muller', 'mueller']],
    ['MU\u0308LLER', ['muller', 'mueller']],
    ['Straße', ['strasse']],
    ['cœur', ['cœur', 'coeur']],
    ['PLAIN', ['plain']],
    ['ﬁn', ['fin']],
  ])('%j is also %j', (word, forms) => {
    expect(foldedForms(word)).toEqual(forms);
  });

  test.each([
    [['rechnung', 'rechnungen'], 'rechnung'],
    [['facture', 'factures'], 'factur'],
    [['stuhl', 'stuhle'], 'stuhl'],
    [['noyer', 'noyers'], 'noyer'],
    [['haus'], 'haus'],
    [['a1234s'], 'a1234s'],
  ])('%j have %j in common', (words, common) => {
    for (const word of words) expect(lightStem(word)).toBe(common);
  });

  test('words of a query come once, each with all of its forms', () => {
    expect(looseWords('Müller MÜLLER, Rechnungen!')).toEqual([['mull', 'muell'], ['rechnung']]);
  });

  test('the text kept beside a document is bounded', () => {
    expect(looseText('Apfelbäume und Bücher')).toBe('apfelbaum apfelbaeum und buch buech');
    expect(looseText('ä'.repeat(65))).toBe('');
    expect(looseText('müller '.repeat(100_000)).length).toBeLessThanOrEqual(200_000);
  });
});
