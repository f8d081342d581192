import { z } from 'zod';
import type { Question } from '#graphs/define.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Changes } from '#src/domain/records/change.ts';
import type { RecordTypeRecord } from '#src/domain/records/record-type.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import { valuesOf } from '#src/domain/records/values.ts';

/** Part of a record that results of runs show. */
export const recordFacts = ({ _id, recordType, status, problems }: RecordRecord) => ({
  recordId: _id,
  recordType,
  status,
  problems: problems.map(({ code, field, detail }) => ({ code, field, detail })),
});

/** Bytes of the data of a question. */
const mostData = 16 * 1024;

/** Asks a person to look at a doubtful record. The answer has the changed cells; an empty one confirms the record. */
export function questionAbout(record: RecordRecord, type: RecordTypeRecord): Question {
  const values = valuesOf(record.cells, type.fields);
  const about = { recordId: record._id, problems: record.problems, values };
  const { values: _values, ...short } = about;
  return {
    prompt: `Check the record "${type.title}" of this document. ${record.problems.map(({ detail }) => detail).join(' ')} Answer with the cells to set, such as {"set": {"total": {"amount": 12.5, "currency": "EUR"}}}, or with {} if all is right.`,
    data: Buffer.byteLength(JSON.stringify(about)) > mostData ? short : about,
    answerSchema: {
      type: 'object',
      properties: { set: { type: 'object' }, remove: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    },
  };
}

const Money = z.object({ amount: z.number(), currency: z.string().nullable().default(null) });
const Answer = z.strictObject({
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), Money]).nullable()).default({}),
  remove: z.array(z.string()).default([]),
});

/** Error: `request.invalid`. */
export function readAnswer(answer: unknown): Changes {
  const { data, error } = Answer.safeParse(answer);
  if (data !== undefined) return data;
  const [first] = error.issues;
  throw new AppError(
    'request.invalid',
    `The answer has no form that records take, at /${first?.path.join('/') ?? ''}: ${first?.message ?? ''}. Send {"set": {"<path>": value}}.`,
  );
}
