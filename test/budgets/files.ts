import { syncBuiltinESMExports } from 'node:module';
import promises, { open, type FileHandle } from 'node:fs/promises';

export interface FileWork extends Disposable {
  /** Files opened below the folder since the last call, and syncs of any file by this thread. */
  take(): { readonly opens: number; readonly syncs: number };
}

const openers = ['open', 'readFile', 'writeFile'] as const;
const syncs = ['sync', 'datasync'] as const;

/** Counts at the door of `node:fs/promises`, which the object store uses. The engine syncs in a thread of its own. */
export async function watchFiles(folder: string): Promise<FileWork> {
  let counted = { opens: 0, syncs: 0 };
  const undo: (() => void)[] = [];
  /** Replaces one function by itself with a count before it. */
  const count = (of: Record<string, any>, name: string, before: (path: unknown) => void): void => {
    const original = of[name];
    of[name] = function counting(this: unknown, ...args: unknown[]) {
      before(args[0]);
      return original.apply(this, args);
    };
    undo.push(() => void (of[name] = original));
  };
  for (const name of openers)
    count(promises, name, (path) => {
      if (String(path).startsWith(folder)) counted.opens += 1;
    });
  const handle: FileHandle = await open(import.meta.filename);
  await handle.close();
  for (const name of syncs) count(Object.getPrototypeOf(handle), name, () => (counted.syncs += 1));
  syncBuiltinESMExports();
  return {
    take() {
      const taken = counted;
      counted = { opens: 0, syncs: 0 };
      return taken;
    },
    [Symbol.dispose]() {
      for (const restore of undo) restore();
      syncBuiltinESMExports();
    },
  };
}
