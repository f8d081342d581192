import { AppError } from '#src/domain/app-error.ts';
import type { Reducer } from '#src/contracts/resources/graph.ts';

export type FoldingReducer = Exclude<Reducer, 'replace'>;
type Fold = (left: unknown, right: unknown) => unknown;

/** Initial value of a channel without a default; `replace` and `max` start without a value. */
export const emptyValues: Partial<Record<Reducer, unknown>> = { append: [], merge: {}, sum: 0, unionById: [] };

/** Combines the value of a channel (`left`) with a write (`right`). Throws `workflow.invalid` if `right` does not fit. */
export const folds: Readonly<Record<FoldingReducer, Fold>> = {
  append: (left, right) => [...list(left, 'append'), ...items(right)],
  merge: (left, right) => ({ ...record(left, 'merge'), ...record(right, 'merge') }),
  sum: (left, right) => number(left, 'sum') + number(right, 'sum'),
  max: (left, right) => Math.max(number(left, 'max'), number(right, 'max')),
  unionById: (left, right) => {
    const byId = new Map(list(left, 'unionById').map((item) => [idOf(item), item]));
    for (const item of items(right)) byId.set(idOf(item), item);
    return [...byId.values()];
  },
};

/** True if `value` can be the default of a channel with this reducer. */
export function fits(reducer: Reducer, value: unknown): boolean {
  try {
    if (reducer === 'append') list(value, reducer);
    else if (reducer === 'merge') record(value, reducer);
    else if (reducer === 'sum' || reducer === 'max') number(value, reducer);
    else if (reducer === 'unionById') list(value, reducer).forEach(idOf);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function list(value: unknown, reducer: Reducer): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw unfit(reducer, 'an array');
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function record(value: unknown, reducer: Reducer): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw unfit(reducer, 'an object');
}

function number(value: unknown, reducer: Reducer): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw unfit(reducer, 'a number');
}

function idOf(item: unknown): string | number {
  const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
  if (typeof id === 'string' || typeof id === 'number') return id;
  throw unfit('unionById', 'objects that have an id');
}

function unfit(reducer: Reducer, expected: string): AppError {
  return new AppError(
    'workflow.invalid',
    `A node wrote a value that does not fit its channel: reducer "${reducer}" needs ${expected}.`,
  );
}
