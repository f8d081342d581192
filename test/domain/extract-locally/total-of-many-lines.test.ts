import { expect, test } from 'vitest';
import { findTotal } from '#src/domain/extract-locally/find-total.ts';
import { placeText } from '#src/domain/extract-locally/page-text.ts';
import { cpuClock } from '#test/support/cpu-time.ts';
import { pageOf } from '#test/support/records.ts';

test.each(['A · B', '01.02.2024', '1.00'])('a total among 12,000 lines of %s does not take their square', (part) => {
  const text = [...Array.from({ length: 12_000 }, () => part), 'Total 7.50'].join('\n');
  const { lines } = placeText({ text, pages: [pageOf(text)] });
  const computed = cpuClock();
  expect(findTotal(lines)?.value.amount).toBe(7.5);
  expect(computed()).toBeLessThan(1_000);
});
