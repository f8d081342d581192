import { expect, test } from 'vitest';
import { patientReader } from '#app/agents/documents/patient-reader.ts';
import { AppError } from '#src/domain/app-error.ts';

const quick = { totalMs: 5_000, firstPauseMs: 1, longestPauseMs: 4 };
const away = () => new AppError('service.unavailable', 'The object store does not respond.');

/** A store that fails with these errors, one after the other, and then has the object. */
function storeAfter(...errors: readonly Error[]) {
  const left = [...errors];
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    async get() {
      asked += 1;
      const error = left.shift();
      if (error !== undefined) throw error;
      return Buffer.from('bytes');
    },
  };
}

test('a read waits while the store does not respond', async () => {
  const store = storeAfter(away(), away(), away(), away());
  expect(await patientReader(store, quick).get('documents/a')).toEqual(Buffer.from('bytes'));
  expect(store.asked).toBe(5);
});

test('an object that is refused, and a fault of the program, are told at once', async () => {
  const refused = storeAfter(new AppError('object.not_found', 'There is no such object.'));
  await expect(patientReader(refused, quick).get('documents/a')).rejects.toThrow('no such object');
  const fault = storeAfter(new TypeError('fault'));
  await expect(patientReader(fault, quick).get('documents/a')).rejects.toThrow('fault');
  expect([refused.asked, fault.asked]).toEqual([1, 1]);
});

test('a long outage is told when the patience is over', async () => {
  const store = storeAfter(...Array.from({ length: 10_000 }, away));
  const impatient = { totalMs: 300, firstPauseMs: 2, longestPauseMs: 4 };
  await expect(patientReader(store, impatient).get('documents/a')).rejects.toThrow('does not respond');
  expect(store.asked).toBeGreaterThan(2);
});
