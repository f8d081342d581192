import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Paced } from '#src/concurrency/paced.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function paced() {
  const passed: number[] = [];
  const pace = new Paced<{ readonly page: number }>(1_000, ({ page }) => void passed.push(page));
  return { passed, pace };
}

test('the first value passes at once, and then the newest of each second', () => {
  const { passed, pace } = paced();
  for (const page of [1, 2, 3]) pace.add({ page });
  expect(passed).toEqual([1]);
  vi.advanceTimersByTime(999);
  expect(passed).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(passed).toEqual([1, 3]);
  pace.add({ page: 4 });
  expect(passed).toEqual([1, 3]);
  vi.advanceTimersByTime(5_000);
  expect(passed).toEqual([1, 3, 4]);
  pace.add({ page: 5 });
  expect(passed).toEqual([1, 3, 4, 5]);
});

test('a value that was dropped does not pass, and nothing does after the end', () => {
  const { passed, pace } = paced();
  for (const page of [1, 2]) pace.add({ page });
  pace.drop(({ page }) => page === 1);
  vi.advanceTimersByTime(1_000);
  pace.add({ page: 3 });
  pace.drop(({ page }) => page === 3);
  vi.advanceTimersByTime(1_000);
  expect(passed).toEqual([1, 2]);
  pace.add({ page: 4 });
  pace.add({ page: 5 });
  pace.end();
  vi.advanceTimersByTime(5_000);
  expect(passed).toEqual([1, 2, 4]);
  expect(vi.getTimerCount()).toBe(0);
});
