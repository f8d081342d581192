import { expect, test } from 'vitest';
import { createStemmers } from '#src/adapters/models/local/lazy-stemmer.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';

const stemmers = createStemmers();
const read = (question: string, before?: string) => readQuestion(question, before, stemmers);
const words = (question: string, before?: string) =>
  read(question, before).terms.map(({ word, role }) => `${role} ${word}`);

test('words that ask are left out, and what kind of document is meant is told apart', () => {
  expect(words('What is the total of the invoice from Juniper Lane?')).toEqual([
    'focus total',
    'kind invoice',
    'focus juniper',
    'focus lane',
  ]);
  expect(words('Wie hoch ist der Gesamtbetrag auf der Rechnung?')).toEqual(['focus gesamtbetrag', 'kind rechnung']);
});

test.each([
  ['Who signed the contract?', 'en'],
  ['Wann ist die Rechnung fällig?', 'de'],
  ['Quel est le montant de la facture ?', 'fr'],
  ['IBAN?', 'en'],
])('%s is asked in %s', (question, language) => {
  expect(read(question).language).toBe(language);
});

test('a question that points back is read with the words of the one before, another is not', () => {
  const before = 'Where does the heron nest?';
  expect(words('And its ring?', before)).toEqual(['focus ring', 'context heron', 'context nest']);
  expect(words('Which stork lives on the town hall?', before)).toEqual(expect.not.arrayContaining(['context heron']));
});

test('what something is about is asked of the whole', () => {
  expect(read('What is this document about?').asksForGist).toBe(true);
  expect(read('Summarize the letter').asksForGist).toBe(true);
  expect(read('Worum geht es in diesem Dokument?').asksForGist).toBe(true);
  expect(read('What about the heron?').asksForGist).toBe(false);
  expect(read('What does the summary say about herons?').asksForGist).toBe(false);
});

test('words of one meaning are one term', () => {
  const [total, ...more] = read('What is the total amount?').terms;
  expect(more).toEqual([]);
  expect(total?.stems).toContain('betrag');
});

test('a very long question is read up to a bound', () => {
  const { terms, searchText } = read(Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' '));
  expect(terms.length).toBeLessThanOrEqual(32);
  expect(searchText.length).toBeLessThanOrEqual(900);
});

test.each([
  'What does the invoice come to?',
  'How much is the bill from Juniper Lane?',
  'Wie hoch ist der Rechnungsbetrag?',
])('%s asks for the total', (question) => {
  const { terms, asksFor } = read(question);
  const focus = terms.filter(({ role }) => role === 'focus').flatMap(({ stems }) => stems);
  expect(asksFor).toBe('amount');
  expect(focus).toContain('total');
});

test('How high is the VAT on the invoice asks for the tax, not for the total', () => {
  const { terms } = read('How high is the VAT on the invoice?');
  expect(terms.map(({ word }) => word)).toEqual(['vat', 'invoice']);
});
