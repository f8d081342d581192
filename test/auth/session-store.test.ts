import { expect, test } from 'vitest';
import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import { sessionStoreConformance } from '#test/conformance/session-store.ts';

sessionStoreConformance('The memory of a process', async () => {
  let now = 1_000_000;
  return {
    store: createMemorySessionStore(() => now),
    async pass(seconds) {
      now += seconds * 1_000;
    },
    close: async () => undefined,
  };
});

test('the memory of a process does not grow with what ran out', async () => {
  let now = 0;
  const store = createMemorySessionStore(() => now);
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 9_000; index += 1) await store.set(`${round}-${index}`, 'x', 10);
    now += 11_000;
  }
  expect(store.size()).toBeLessThan(20_000);
});
