import { expect } from 'vitest';
import type { z } from 'zod';
import type { ErrorCode } from '#src/contracts/error-codes.ts';
import { errorCodes } from '#src/contracts/error-codes.ts';
import { Problem } from '#src/contracts/resources/problem.ts';
import type { Answer } from '#test/support/test-app.ts';

interface Row<Reply extends z.ZodType> {
  readonly reply: Reply;
  readonly status: number;
  readonly also?: Readonly<Record<number, string>>;
}

/** Checks a success against its contract row: status, JSON, every field known and of its shape. Gives the body. */
export function replyOf<Reply extends z.ZodType>(row: Row<Reply>, answer: Answer): z.output<Reply> {
  const { status, body, headers } = answer;
  expect([row.status, ...Object.keys(row.also ?? {}).map(Number)], JSON.stringify(body)).toContain(status);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  const parsed = row.reply.parse(body);
  expect(parsed).toEqual(body);
  return parsed;
}

/** Checks a failure: RFC 9457, with the status and title of its code. Gives the body. */
export function problemOf(answer: Answer, code: ErrorCode): Problem {
  const { status, body, headers } = answer;
  expect({ status, code: body.code }, JSON.stringify(body)).toEqual({ status: errorCodes[code].status, code });
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = Problem.parse(body);
  expect(problem).toEqual(body);
  expect(problem.status).toBe(status);
  expect(problem.title).toBe(errorCodes[code].title);
  expect(problem.requestId).toBe(headers.get('x-request-id'));
  return problem;
}

type Problem = z.output<typeof Problem>;

/** The JSON Pointers of the fields a failure names. */
export function pointersOf({ errors = [] }: Problem): string[] {
  return errors.map((error) => error.pointer);
}
