/** Stores objects without end and writes one line for each acknowledged one; killed by the test that started it. */
import { objectBytes } from '#test/support/object-bytes.ts';
import { diskStore } from '#test/support/objects.ts';

const [dataDir = '', round = '0'] = process.argv.slice(2);
const store = await diskStore(dataDir);

async function write(lane: number): Promise<never> {
  for (let index = 0; ; index += 1) {
    const key = `round-${round}/lane-${lane}/${index}`;
    const { etag } = await store.put(key, objectBytes(key), 'application/octet-stream');
    await store.copy(key, `${key}.pin`, etag);
    process.stdout.write(`${key}\n`);
  }
}

await Promise.all([0, 1, 2, 3].map(write));
