import { test, type TestFunction } from 'vitest';
import type { Requirement } from '#test/spec/requirement.ts';
import { requirements, type ProvedId } from '#test/spec/requirements.ts';

/** The row of `id`; throws when there is none, or when the row is not to be proved yet. */
export function provable(id: string, rows: readonly Requirement[]): Requirement {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`No requirement has the id ${id}: add its row under test/spec/`);
  if (row.status === 'deferred') {
    throw new Error(`Requirement ${id} is deferred to ${row.deferredTo}: make its row proved before a test proves it`);
  }
  return row;
}

/**
 * A test that proves one statement of the specification, titled by that statement. `id` is a string literal, so that
 * test/spec/coverage.test.ts finds it in the source. `timeout` in milliseconds.
 */
export function verifies(id: ProvedId, body: TestFunction, options: { readonly timeout?: number } = {}): void {
  const row = provable(id, requirements);
  test(`[${row.id}] ${row.behaviour}`, options, body);
}
