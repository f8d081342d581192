import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { cwd } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { version } from '#src/config/version.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { versionsOf } from './versions.ts';

/** Archive that `npm pack` makes of this repository, which is in no registry. Null: this is the package. */
const ofRepository = import.meta.url.endsWith('.ts')
  ? { root: fileURLToPath(new URL('../../..', import.meta.url)), name: `inkgraph-${version}.tgz` }
  : null;

const usage = helpText({
  usage: 'npx inkgraph init <folder> [--package <spec>]',
  does: 'Makes a project with a workflow, two nodes and an evaluator of your own, in a new or empty folder.',
  options: [
    [
      '--package <spec>',
      `version of inkgraph that it depends on, or a file; default: ${ofRepository === null ? `^${version}` : 'the archive that npm pack makes'}`,
    ],
  ],
  examples: ['npx inkgraph init my-graphs && cd my-graphs && npm install && npx inkgraph dev'],
});

const template = fileURLToPath(new URL('../template', import.meta.url));

/** Specification of inkgraph for a project in this folder, and the command that makes its archive first. */
function dependency(folder: string): { readonly spec: string; readonly before: string } {
  if (ofRepository === null) return { spec: `^${version}`, before: '' };
  const { root, name } = ofRepository;
  const archive = join(root, name);
  const pack = relative(cwd(), root) === '' ? 'npm pack' : `(cd ${root} && npm pack)`;
  return { spec: `file:${relative(folder, archive)}`, before: existsSync(archive) ? '' : `  ${pack}\n` };
}

function manifestOf(name: string, spec: string): object {
  const { langgraph, zod, typescript, nodeTypes } = versionsOf();
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { dev: 'inkgraph dev', start: 'inkgraph start', check: 'inkgraph check' },
    dependencies: { '@langchain/langgraph': langgraph, inkgraph: spec, zod },
    devDependencies: { '@types/node': nodeTypes, typescript },
  };
}

const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
};

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** `inkgraph init`: a project that depends on this package. */
export const init = withHelp(usage, async (terminal) => {
  const { values, positionals } = parseArgs({
    args: [...terminal.args],
    options: { package: { type: 'string' } },
    allowPositionals: true,
  });
  const [named, ...rest] = positionals;
  if (named === undefined || rest.length > 0) throw new UsageError(usage);
  const folder = resolve(named);
  const name = basename(folder).toLowerCase();
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
    throw new UsageError(
      `"${basename(folder)}" cannot be the name of a package. Use letters, digits, ".", "_" and "-".`,
    );
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new UsageError(`${named} is not empty. Name a new folder.`);
  await cp(template, folder, { recursive: true });
  const { spec, before } = values.package === undefined ? dependency(folder) : { spec: values.package, before: '' };
  await Promise.all([
    writeFile(join(folder, 'package.json'), json(manifestOf(name, spec))),
    writeFile(join(folder, 'tsconfig.json'), json({ compilerOptions, include: ['graphs'] })),
    writeFile(join(folder, '.gitignore'), 'node_modules/\ndata/\n.env\n'),
  ]);
  terminal.out(`Made ${named}. Go on with:\n${before}  cd ${named}\n  npm install\n  npx inkgraph dev\n`);
});
