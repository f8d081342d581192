import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OlderSeed } from '#src/contracts/seed.ts';

/** File with the credentials that `npm run seed` created. */
export const seedFile = (dataDir: string): string => join(dataDir, 'seed.json');

/** null: the data folder was never seeded. */
export async function readSeed(dataDir: string): Promise<OlderSeed | null> {
  let text: string;
  try {
    text = await readFile(seedFile(dataDir), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return OlderSeed.parse(JSON.parse(text));
}
