import { expect } from 'vitest';
import { killInLongDocument } from '#scripts/chaos/long-document.ts';
import { verifies } from '#test/support/verifies.ts';

/** `npm run chaos -- --pages 200` is the same with more pages. */
verifies(
  'events.upload.long_document',
  async () => {
    const said: string[] = [];
    const outcome = await killInLongDocument({ pages: 8, killAt: 4, progress: (text) => said.push(text) });
    expect(outcome).toMatchObject({ readAgain: 0, violations: [] });
    expect(outcome.stored).toBeGreaterThanOrEqual(4);
    expect(outcome.stored).toBeLessThan(8);
    expect(said).toEqual([`killed with ${outcome.stored} of 8 pages stored`]);
  },
  { timeout: 60_000 },
);
