import { expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import { checked, fieldErrors } from '#tools/call.ts';

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

const place = z.strictObject({ op: z.literal('move'), to: z.string() });
const request = z.strictObject({
  name: z.string(),
  operations: z.array(z.discriminatedUnion('op', [place, z.strictObject({ op: z.literal('drop') })])).optional(),
  either: z.union([place, z.strictObject({ other: z.string() })]).optional(),
});

function messagesOf(value: unknown): Record<string, string> {
  try {
    checked(request, value);
  } catch (error) {
    if (error instanceof AppError) return Object.fromEntries(error.errors.map((one) => [one.pointer, one.message]));
    throw error;
  }
  return {};
}

test('an unknown field is answered with the fields that there are', () => {
  expect(messagesOf({ name: 'a', nmae: 'b', size: 1 })).toEqual({
    '/nmae': 'unknown field; there are: name, operations, either',
    '/size': 'unknown field: remove it',
  });
  expect(messagesOf({ name: 'a', operations: [{ op: 'drop' }, { op: 'move', to: 'x', from: 'y' }] })).toEqual({
    '/operations/1/from': 'unknown field; there are: op, to',
  });
  expect(Object.keys(messagesOf({ name: 'a', either: { op: 'move', to: 'x', more: 1 } }))).toHaveLength(1);
});
