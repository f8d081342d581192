import type { OpenQuestion } from '#src/domain/runs/run.ts';

const promptMost = 500;
const schemaMost = 2_000;

/** An open question as lists and events show it: the start of its prompt, and the schema of its answer unless that is longer than 2,000 characters. */
export function briefQuestion(question: Omit<OpenQuestion, 'data' | 'askedAt'>) {
  const { path, prompt, answerSchema } = question;
  const isLong = answerSchema !== null && JSON.stringify(answerSchema).length > schemaMost;
  return {
    path,
    promptText: prompt.slice(0, promptMost),
    ...authorsQuestion(question, promptMost),
    answerSchema: answerSchema === null || isLong ? null : { ...answerSchema },
  };
}

/**
 * The author's words of a question, and the values in it, which come from documents. Nothing where they are not known apart. `most`:
 * characters of the words, and of each value.
 */
export function authorsQuestion({ words, inserted = [] }: Pick<OpenQuestion, 'words' | 'inserted'>, most = Infinity) {
  if (words === undefined) return {};
  const valuesText = inserted.map((value) => value.slice(0, most));
  return { question: words.slice(0, most), ...(valuesText.length > 0 && { valuesText }) };
}
