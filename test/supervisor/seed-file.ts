import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Seed } from '#src/contracts/seed.ts';

/** The seed that a service with API_DEBUG=true left in its data folder. */
export async function readSeedFile(dataDir: string): Promise<Seed> {
  return Seed.parse(JSON.parse(await readFile(join(dataDir, 'seed.json'), 'utf8')));
}
