import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mediaTypeOf } from 'inkgraph/client';
import { UsageError } from '#scripts/cli/with-app.ts';

export interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface Found {
  readonly files: readonly FoundFile[];
  /** Folders that were looked into, for those who watch them. */
  readonly folders: readonly string[];
  /** Files of other types. */
  readonly others: number;
}

/** Files that may be documents below a path, in the order of their names. Hidden files and folders are left out. Error: UsageError. */
export async function findFiles(path: string): Promise<Found> {
  const facts = await stat(path).catch(() => null);
  if (facts === null) throw new UsageError(`${path} does not exist. Name a file or a folder.`);
  if (facts.isFile()) {
    if (mediaTypeOf(path) === null)
      throw new UsageError(
        `${path} has another type. Documents are .png, .jpg, .webp, .avif, .heic, .gif, .tif and .pdf files.`,
      );
    return { files: [{ path, size: facts.size, modifiedMs: facts.mtimeMs }], folders: [], others: 0 };
  }
  const [files, folders]: [FoundFile[], string[]] = [[], []];
  let others = 0;
  const waiting = [path];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    folders.push(folder);
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const place = join(folder, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) waiting.push(place);
      else if (!entry.isFile() || mediaTypeOf(entry.name) === null) others += 1;
      else {
        // A file may go while the folder is read.
        const one = await stat(place).catch(() => null);
        if (one !== null) files.push({ path: place, size: one.size, modifiedMs: one.mtimeMs });
      }
    }
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), folders, others };
}

export const nameOf = (path: string): string => basename(path);
