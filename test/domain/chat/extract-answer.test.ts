import { describe, expect, test } from 'vitest';
import { createStemmers } from '#src/adapters/models/local/lazy-stemmer.ts';
import { chooseSources, type Candidate, type Reader } from '#src/domain/chat/choose-sources.ts';
import { extractAnswer } from '#src/domain/chat/extract-answer.ts';
import { ocrPassages } from '#src/domain/chat/passages.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';

const stemmers = createStemmers();
const texts = [
  'The lighthouse was built in 1887 by Ada Holm. It stands on the northern cliff. Its lamp was not repaired in 1901.',
  'The ferry to Norby leaves at nine. The ferry carries 40 passengers and two cars.',
  'The harbour museum shows model ships. Children pay nothing.',
  'Invoice 20240042 of the chandlery. Total due 870.72 euros.',
  'Invoice 20240043 of the chandlery. Total due 12.00 euros.',
];
const candidates = texts.map((text, at): Candidate => {
  const documentId = `doc_${at}`;
  const passages = ocrPassages({ documentId, ocrResultId: `ocr_${at}`, text, pages: [] });
  return { documentId, title: '', distance: null, passages, named: false };
});

function answer(question: string, reader: Reader = 'rules') {
  const read = readQuestion(question, undefined, stemmers);
  const chosen = chooseSources(read, candidates, reader);
  return { ...extractAnswer(read, chosen), chosen, ids: chosen.documents.map(({ documentId }) => documentId) };
}

describe('certainty of quotes', () => {
  test.each([
    ['When was the lighthouse built?', 'sure'],
    ['How many passengers does the ferry carry?', 'sure'],
    ['What is the total due of invoice 20240042?', 'sure'],
  ])('%s is %s', (question, certainty) => {
    expect(answer(question)).toMatchObject({ certainty, ids: [expect.any(String)] });
  });

  test.each([
    // One word is another, so that the sentence answers another question.
    'When was the northern lighthouse cliff painted?',
    'When was the lighthouse lamp repaired?',
    'When was the lighthouse not built?',
    'Why was the lighthouse built?',
    'How many lamps does the lighthouse have?',
    'Which admiral sold the lighthouse to Ada Holm?',
  ])('%s gets the closest sentences, not as sure', (question) => {
    const { certainty, ids, text } = answer(question);
    expect(certainty).not.toBe('sure');
    expect(ids[0]).toBe('doc_0');
    expect(text).toMatch(/may not hold it|not sure that they answer/);
  });

  test('words found nowhere leave the document with the others first, as not sure', () => {
    const { ids, certainty } = answer('Which granite colour does the northern lighthouse cliff have?');
    expect(ids[0]).toBe('doc_0');
    expect(certainty).not.toBe('sure');
  });

  test.each(['Who won the chess cup?', 'What does a kilo of flour cost?', 'Where is the president of Peru?'])(
    '%s is about something else',
    (question) => {
      expect(answer(question)).toMatchObject({ ids: [], certainty: 'unsure' });
    },
  );

  test('a long number that the question names must stand in the document, also when a model had more sources', () => {
    expect(answer('What is the total due of invoice 20240042?').ids).toEqual(['doc_3']);
    expect(answer('What is the total due of invoice 20240042?', 'model').text).not.toContain('12.00');
    expect(answer('What is the total due of invoice 20240099?')).toMatchObject({ ids: [], certainty: 'unsure' });
  });
});
