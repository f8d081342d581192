import { readFile } from 'node:fs/promises';

export interface Scan {
  readonly bytes: Buffer;
  readonly contentType: string;
}

const files = [
  ['note.gif', 'image/gif'],
  ['form.png', 'image/png'],
] as const;

/** Pages that are read in little time. */
export async function readScans(): Promise<readonly Scan[]> {
  return Promise.all(
    files.map(async ([name, contentType]) => ({
      bytes: await readFile(new URL(`../../test/fixtures/${name}`, import.meta.url)),
      contentType,
    })),
  );
}
