import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldErrors } from '#tools/call.ts';

const schema = z.strictObject({
  from: z.union([z.string().min(2), z.literal('START')]),
  size: z.union([z.number(), z.strictObject({ width: z.number() })]),
});

const errorsOf = (value: unknown) => fieldErrors(schema.safeParse(value).error ?? new z.ZodError([]));

test('a value that fits no alternative is told what each expects', () => {
  expect(errorsOf({ from: 'ab', size: 'large' })).toEqual([
    {
      pointer: '/size',
      code: 'invalid_union',
      message: 'Invalid input: expected number, received string, or expected object, received string',
    },
  ]);
  expect(errorsOf({ size: 1 })).toMatchObject([
    { pointer: '/from', message: 'Invalid input: expected string, received undefined, or expected "START"' },
  ]);
});

test('messages do not repeat the value', () => {
  expect(JSON.stringify(errorsOf({ from: 1, size: 'a secret' }))).not.toContain('secret');
});
