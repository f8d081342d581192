import { InkgraphError } from '#src/domain/app-error.ts';
import { suggest } from '#graphs/check/nearest.ts';

/** An operation cannot be applied. `pointer` points into the operation; `applyOperations` adds its index and throws an `AppError`. */
export class EditError extends InkgraphError {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** Error for a name that is not in `known`, with similar names. */
export function unknownName(pointer: string, name: string, known: readonly string[], what: string): EditError {
  return new EditError(pointer, `There is no ${what} "${name}". ${suggest(name, known, `${what}s`)}`);
}
