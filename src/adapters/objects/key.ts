import { limits } from '#src/contracts/fields.ts';
import { AppError } from '#src/domain/app-error.ts';

const segments = /^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/;

/** Checks the form of a key that the port promises. Nothing is decoded: the `%` of `%2e%2e` is refused. */
export function isObjectKey(key: string): boolean {
  if (key.length > limits.objectKey || !segments.test(key)) return false;
  return key.split('/').every((segment) => segment !== '.' && segment !== '..');
}

/** Throws `object.not_found` for a key of another form, which cannot have been stored. */
export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new AppError('object.not_found', 'No object has this key.');
}
