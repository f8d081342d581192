import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { watch } from 'chokidar';

const isSource = (path: string): boolean => /\.(ts|json|js|md)$/.test(path);

export interface SourceWatch {
  close(): Promise<void>;
}

/** Folders with files that the services load. */
export function sourceFolders(root: string): string[] {
  const folders = ['app', 'src', 'graphs', 'tools', 'http', 'mcp', 'packages/*/src'];
  return globSync(folders, { cwd: root }).toSorted();
}

/**
 * Calls back with the path of each source file that changes below `root`. Not `fs.watch`: on Linux, its recursive form loses a file that
 * was replaced by rename, as editors save. Source: docs/decisions/0072.
 */
export async function watchSources(root: string, changed: (path: string) => void): Promise<SourceWatch> {
  const watcher = watch(
    sourceFolders(root).map((folder) => join(root, folder)),
    { ignoreInitial: true, ignored: (path, stats) => stats?.isFile() === true && !isSource(path) },
  ).on('all', (event, path) => {
    if (event !== 'addDir' && event !== 'unlinkDir') changed(relative(root, path));
  });
  await once(watcher, 'ready');
  return { close: () => watcher.close() };
}
