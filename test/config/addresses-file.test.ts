import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishAddresses, readAddresses } from '#app/compose/addresses.ts';

test('a reader finds the addresses complete or absent while they are published', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const addresses = { api: 'x'.repeat(5_000_000), agents: null, mcp: null, objects: null };
  for (let round = 0; round < 10; round += 1) {
    const publishing = publishAddresses(folder, addresses as never);
    const over = new AbortController();
    const reading = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted)
        expect([undefined, addresses.api.length]).toContain((await readAddresses(folder))?.api.length);
    });
    await using _published = await publishing;
    over.abort();
    await Promise.all(reading);
  }
  expect(await readAddresses(folder)).toBeNull();
  await rm(folder, { recursive: true });
});
