import { expect } from 'vitest';
import { allInputs } from '#scripts/inputs/all-inputs.ts';
import { breaksPromise, tryInputs } from '#scripts/inputs/main.ts';
import type { Outcome } from '#scripts/inputs/try-input.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

/** A sample of `npm run inputs`: one of each way to end, and those that were silent blanks once. */
const sample: Readonly<Record<string, Outcome>> = {
  'encodings: cmyk jpeg': 'read',
  'encodings: png of 16 bits': 'read',
  'encodings: fax tiff': 'read',
  'pages: tiff with a blank page first': 'read',
  'sizes: 1 x 1, blank': 'blank',
  'sizes: a3 of 1 bit at 600 dpi': 'refused',
  'tones: clear page': 'blank',
  'tones: noise': 'warned',
  'pdf: empty page': 'blank',
  'pdf: text off the page': 'blank',
  'pdf: an empty password': 'read',
  'pdf: a password': 'refused',
  'pdf: table of objects 7 bytes off': 'read',
  'pdf: scan without text layer': 'read',
  'pdf: damaged deflated text': 'failed',
  'overwritten: pdf of text, a fifth of zeros': 'failed',
  'bits turned: invoice.pdf, 5': 'failed',
  'bits turned: webp, 6': 'warned',
  'bits turned: progressive jpeg, 1': 'warned',
  'cut off: gif, at 50%': 'refused',
  'wrong types: jpeg as image/png': 'refused',
};

verifies('limits.inputs', async () => {
  const all = await allInputs();
  expect(all.length).toBeGreaterThanOrEqual(600);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  const chosen = all.filter(({ name }) => Object.hasOwn(sample, name));
  await using app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  const { workflowKey, serviceKey } = app.seed;
  const results = await tryInputs({ api: app.addresses.api, workflowKey, serviceKey }, chosen);
  expect(results.filter(breaksPromise)).toEqual([]);
  expect(Object.fromEntries(results.map(({ input, outcome }) => [input.name, outcome]))).toEqual(sample);
});
