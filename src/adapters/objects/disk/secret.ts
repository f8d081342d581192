import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { discard, syncFolder, unless } from './files.ts';

const bytes = 32;

/**
 * Reads the secret that signs object addresses from `<dataDir>/objects.secret`. The first process creates the file (mode 0600); all
 * processes on a folder share it. Throws for a file of another length.
 */
export async function loadObjectSecret(dataDir: string): Promise<Buffer> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'objects.secret');
  const stored = await unless(readFile(path), 'ENOENT');
  if (stored === null) return create(dataDir, path);
  if (stored.length !== bytes)
    throw new Error(
      `objects.secret must hold ${bytes} bytes and holds ${stored.length}. Restore the file, or remove it to get a new secret; then upload and download addresses issued before stop working.`,
    );
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(path, 0o600);
  return stored;
}

async function create(dataDir: string, path: string): Promise<Buffer> {
  const secret = randomBytes(bytes);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(draft, secret, { flag: 'wx', mode: 0o600, flush: true });
    const won = await unless(
      link(draft, path).then(() => true),
      'EEXIST',
    );
    if (won === null) return await loadObjectSecret(dataDir);
    await syncFolder(dataDir);
    return secret;
  } finally {
    await discard(draft);
  }
}
