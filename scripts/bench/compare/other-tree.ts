import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '#scripts/cli/with-app.ts';

const run = promisify(execFile);

/** A commit in a folder of its own, which disposing removes. */
export interface OtherTree extends AsyncDisposable {
  readonly folder: string;
  /** Short hash. */
  readonly commit: string;
}

/** Puts the dependencies of `folder` into it. `root`: the tree that has its own already. */
export type Install = (folder: string, root: string) => Promise<void>;

const lockOf = (folder: string): Promise<string> => readFile(join(folder, 'package-lock.json'), 'utf8');

/** Copies the dependencies where both trees have the same, else asks npm. Links between workspaces are relative, and so lead to the copy. */
export const install: Install = async (folder, root) => {
  if ((await lockOf(folder)) !== (await lockOf(root))) {
    await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
    return;
  }
  await cp(join(root, 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (source) => basename(source) !== '.cache',
  });
};

async function hashOf(root: string, commit: string): Promise<string> {
  try {
    const { stdout } = await run(
      'git',
      ['rev-parse', '--verify', '--short', '--end-of-options', `${commit}^{commit}`],
      {
        cwd: root,
      },
    );
    return stdout.trim();
  } catch (error) {
    throw new UsageError(`--compare: there is no commit ${commit} in ${root}.`, { cause: error });
  }
}

/**
 * Checks a commit of the repository `root` out into a temporary folder, with an install of its own and with the benchmarks of `root`, so
 * that both trees are measured in the same way.
 */
export async function checkOut(root: string, wanted: string, installed: Install = install): Promise<OtherTree> {
  const commit = await hashOf(root, wanted);
  await using stack = new AsyncDisposableStack();
  const parent = await mkdtemp(join(tmpdir(), 'inkgraph-compare-'));
  stack.defer(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, 'tree');
  await run('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], { cwd: root });
  stack.defer(async () => void (await run('git', ['worktree', 'remove', '--force', folder], { cwd: root })));
  const bench = join('scripts', 'bench');
  await rm(join(folder, bench), { recursive: true, force: true });
  await cp(join(root, bench), join(folder, bench), {
    recursive: true,
    filter: (source) => basename(source) !== 'node_modules',
  });
  await installed(folder, root);
  const moved = stack.move();
  return { folder, commit, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}
