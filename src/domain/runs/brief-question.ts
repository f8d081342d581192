import type { OpenQuestion } from '#src/domain/runs/run.ts';

const promptMost = 500;
const schemaMost = 2_000;

/** An open question as lists and events show it: the start of its prompt, and the schema of its answer unless that is longer than 2,000 characters. */
export function briefQuestion({ path, prompt, answerSchema }: Pick<OpenQuestion, 'path' | 'prompt' | 'answerSchema'>) {
  const isLong = answerSchema !== null && JSON.stringify(answerSchema).length > schemaMost;
  return {
    path,
    promptText: prompt.slice(0, promptMost),
    answerSchema: answerSchema === null || isLong ? null : { ...answerSchema },
  };
}
