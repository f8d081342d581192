import { cp, mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Copy, DockerfileParser, type Dockerfile } from 'dockerfile-ast';

const root = fileURLToPath(new URL('../..', import.meta.url));

export async function readDockerfile(): Promise<Dockerfile> {
  return DockerfileParser.parse(await readFile(join(root, 'Dockerfile'), 'utf8'));
}

/** Says of a path from the root whether the build sees it. The last line of `.dockerignore` that names it, or a folder above it, decides. */
async function buildContext(): Promise<(path: string) => boolean> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n').filter((line) => line !== '');
  const rules = lines.map((line) => ({ seen: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  return (path) => {
    const parts = path.split('/');
    const names = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    return rules.findLast(({ pattern }) => names.some((name) => matchesGlob(name, pattern)))?.seen ?? true;
  };
}

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly resolved?: string;
}

/** Links the packages that `npm ci --omit=dev` installs, by the lock file, so that no other can be imported. */
async function linkProductionPackages(image: string): Promise<void> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  for (const [path, { dev, link }] of Object.entries(lock.packages)) {
    const isNested = path.lastIndexOf('node_modules/') > 0;
    if (!path.startsWith('node_modules/') || isNested || dev === true) continue;
    const place = join(image, path);
    await mkdir(dirname(place), { recursive: true });
    await symlink(link === true ? join(image, relative(root, await realPlace(path))) : join(root, path), place);
  }
}

/** Folder of a package of this repository that node_modules links to. */
async function realPlace(path: string): Promise<string> {
  const { name } = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8')) as { name: string };
  return join(root, 'packages', name.split('/').at(-1) ?? name);
}

/** Carries out the COPY lines of the last stage in a folder, as a build does, with packages linked instead of installed. */
export async function layOut(dockerfile: Dockerfile, image: string): Promise<void> {
  const sees = await buildContext();
  const stages = dockerfile.getInstructions();
  const last = stages.findLastIndex((one) => one.getKeyword() === 'FROM');
  for (const instruction of stages.slice(last)) {
    if (!(instruction instanceof Copy) || instruction.getFlags().length > 0) continue;
    const words = instruction.getArguments().map((word) => word.getValue());
    const to = words.at(-1) ?? '';
    for (const from of words.slice(0, -1)) {
      const place = (await stat(join(root, from))).isFile() && to.endsWith('/') ? join(to, from) : to;
      await cp(join(root, from), join(image, place), { recursive: true, filter: (path) => sees(relative(root, path)) });
    }
  }
  await linkProductionPackages(image);
}
