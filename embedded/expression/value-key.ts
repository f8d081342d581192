import { KeyWriter } from '../storage/key.ts';

/** Equal values, also numbers of different types, have the same text: what `$group` and the set operators tell values apart by. */
export function valueKey(value: unknown): string {
  return new KeyWriter().add(value).finish().toString('latin1');
}
