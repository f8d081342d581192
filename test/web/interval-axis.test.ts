import { expect, test } from 'vitest';
import { placesOf, signed, ticksOf, width } from '#web/pages/experiment/interval-axis.ts';

/** Width of a digit at the font size of the axis. */
const digit = 7.5;

test.each([0.011, 0.5, 1, 1.001])('the numbers of an axis that reaches %d are inside of its picture', (most) => {
  const place = placesOf(most);
  for (const tick of ticksOf(most)) {
    const half = (signed(tick).length * digit) / 2;
    expect(place(tick) - half).toBeGreaterThan(0);
    expect(place(tick) + half).toBeLessThan(width);
  }
});
