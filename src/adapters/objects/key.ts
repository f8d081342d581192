import { limits } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';

const segments = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

/** Whether `key` has the form that the port promises. No decoding takes place, so `%2e%2e` is refused for its `%`. */
export function isObjectKey(key: string): boolean {
  if (key.length > limits.objectKey || !segments.test(key)) return false;
  return key.split('/').every((segment) => segment !== '.' && segment !== '..');
}

/** Throws `object.not_found`: a key of another form can never have been stored. */
export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new AppError('object.not_found', 'No object has this key.');
}
