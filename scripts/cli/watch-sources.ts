import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { watch } from 'chokidar';

const isSource = (path: string): boolean => /\.([cm]?[jt]s|json|md)$/.test(path);
const isLibrary = (path: string): boolean => /[/\\](node_modules|\.[^./\\][^/\\]*)$/.test(path);

export interface SourceWatch {
  close(): Promise<void>;
}

/** Folders with files that the services load. */
export function sourceFolders(root: string): string[] {
  const folders = ['app', 'src', 'graphs', 'tools', 'http', 'mcp', 'packages/*/src'];
  return globSync(folders, { cwd: root })
    .toSorted()
    .map((folder) => join(root, folder));
}

/**
 * Calls back with the path, relative to `root`, of each source file that changes in the folders. Not `fs.watch`: on Linux, its recursive form
 * loses a file that was replaced by rename, as editors save. Source: docs/decisions/0072.
 */
export async function watchSources(
  root: string,
  folders: readonly string[],
  changed: (path: string) => void,
): Promise<SourceWatch> {
  const watcher = watch([...folders], {
    ignoreInitial: true,
    ignored: (path, stats) => isLibrary(path) || (stats?.isFile() === true && !isSource(path)),
  }).on('all', (event, path) => {
    if (event !== 'addDir' && event !== 'unlinkDir') changed(relative(root, path));
  });
  await once(watcher, 'ready');
  return { close: () => watcher.close() };
}
