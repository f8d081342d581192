import { z } from 'zod';

/** Key of 32 bytes in base64. */
export const secretsKey = z
  .base64('expected base64')
  .refine((text) => Buffer.from(text, 'base64').length === 32, 'expected 32 bytes in base64');

/** Such keys, comma-separated. */
export const earlierKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .refine(
    (keys) => keys.length <= 5 && keys.every((key) => secretsKey.safeParse(key).success),
    'expected at most 5 keys of 32 bytes in base64, comma-separated',
  );
