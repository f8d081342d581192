import { describe, expect, test } from 'vitest';
import { createStemmers } from '#src/adapters/models/local/lazy-stemmer.ts';
import { readQuestion } from '#src/domain/chat/read-question.ts';
import { saysTheSame } from '#src/domain/chat/certainty/same-statement.ts';

const stemmers = createStemmers();
const says = (question: string, sentence: string): boolean =>
  saysTheSame(readQuestion(question, undefined, stemmers), sentence);

describe('a sentence with all words of a question', () => {
  const fled = 'The pilots fled to Orrin Bay in 1931.';
  const praised = 'Captain Marlow praised the crew of the tug.';

  test.each([
    ['Who fled to Orrin Bay?', 'Lena Voss fled to Orrin Bay.'],
    ['When did the pilots flee to Orrin Bay?', fled],
    ['Where did the pilots flee to?', fled],
    ['Who praised the crew?', praised],
    ['What did Captain Marlow praise?', praised],
    ['What is a sluice?', 'A sluice is a gate for water.'],
    ['Wer lobte die Mannschaft?', 'Die Mannschaft lobte Kapit\u00E4n Marlow.'],
  ])('%s is answered by: %s', (question, sentence) => {
    expect(says(question, sentence)).toBe(true);
  });

  test.each([
    ['another direction', 'Who fled from Orrin Bay?', fled],
    ['another direction', 'Who was praised by Captain Marlow?', praised],
    ['another subject', 'What did the crew praise?', 'Captain Marlow praised the crew.'],
    ['another owner', 'Who hired Brand?', "Brand's cook hired Lena Voss."],
    ['another form', 'Who ended the strike?', 'The end of the strike surprised Lena Voss.'],
    ['another order', 'Who paid the harbour master?', 'The master of the harbour paid Lena Voss.'],
    ['no name', 'Who closed the shipyard?', 'A strike closed the shipyard.'],
    ['no name', 'Who closed the shipyard?', 'Strikes of dockers closed the shipyard.'],
    ['no other name', 'Where did Captain Marlow praise the crew?', praised],
    ['no other number', 'How many pilots fled in 1931?', fled],
    ['no definition', 'What is a sluice?', 'The keeper of a sluice works at night.'],
    [
      'much else',
      'When did the ferry sink?',
      'In 1931 the harbour master wrote reports about drifting ice, broken nets, missing lamps, stolen ropes, angry pilots, late mail, expensive coal, and a ferry that might sink.',
    ],
  ])('%s: %s is not surely answered by: %s', (_, question, sentence) => {
    expect(says(question, sentence)).toBe(false);
  });
});
