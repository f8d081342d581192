import { suggest } from '#graphs/check/nearest.ts';

/** Why one operation cannot be applied: `pointer` is into the operation. Becomes a AppError where the operation's index is known. */
export class EditError extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** `known` has no `name`: says so, with the nearest ones. */
export function unknownName(pointer: string, name: string, known: readonly string[], what: string): EditError {
  return new EditError(pointer, `There is no ${what} "${name}". ${suggest(name, known, `${what}s`)}`);
}
