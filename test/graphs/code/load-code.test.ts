import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCode } from '#graphs/code/load-code.ts';
import { productCode } from '#graphs/code/code.ts';
import { verifies } from '#test/support/verifies.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'inkgraph-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

let folders = 0;
const inkgraph = import.meta.resolve('inkgraph');

/** A folder with these files; `$` stands for the entry point of the package. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  folders += 1;
  const folder = join(root, String(folders));
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text.replaceAll("'$'", `'${inkgraph}'`));
  }
  return folder;
}

const double = (type: string): string =>
  `import { codeNode } from '$';\nexport const made = codeNode({ type: '${type}', reads: ['n'], outputs: {}, run: () => ({}) });`;
const refusal = (files: Readonly<Record<string, string>>) => expect(folderOf(files).then(loadCode)).rejects;

test('without a folder there is the code of the product alone', async () => {
  expect(await loadCode(null)).toBe(productCode);
});

test('node types, workflows and evaluators of all folders inside are added; libraries, hidden folders and other files are left alone', async () => {
  const bad = 'throw new Error("loaded")';
  const folder = await folderOf({
    'double.node.ts': double('double'),
    'deep/inside/triple.node.mjs': double('triple'),
    'empty.workflow.ts': `import { defineWorkflow } from '$';\nexport const one = defineWorkflow({ id: 'wf_mine', name: 'Mine', description: '', nodes: {}, edges: [], outputs: {} });`,
    'always.evaluator.ts': `import { defineEvaluator } from '$';\nexport const one = defineEvaluator({ name: 'always', description: 'One', better: 'higher', needs: null, score: () => ({ value: 1 }) });`,
    'again.node.ts': `export { made } from './double.node.ts';`,
    'node_modules/x/bad.node.js': bad,
    '.hidden/bad.node.ts': bad,
    'helper.ts': bad,
    'types.node.d.ts': bad,
  });
  const { catalog, workflows, evaluators, files } = await loadCode(folder);
  expect(catalog.definitions.length).toBe(productCode.catalog.definitions.length + 2);
  expect([catalog.find('double')?.version, catalog.find('triple')?.version]).toEqual([1, 1]);
  expect(workflows.at(-1)?.id).toBe('wf_mine');
  expect(evaluators.at(-1)?.name).toBe('always');
  expect([...files]).toEqual([['wf_mine', 'empty.workflow.ts']]);
});

verifies('code.folder', async () => {
  await expect(loadCode(join(root, 'nowhere'))).rejects.toThrow(
    'WORKFLOWS_DIR cannot be read (ENOENT). Name an existing folder.',
  );
  await refusal({ 'a.node.ts': 'throw new Error("no way")' }).toThrow('a.node.ts cannot be loaded: no way');
  await refusal({ 'a.node.ts': 'export const x = 1;' }).toThrow(
    'a.node.ts exports no node. Export what defineNode, codeNode or langGraphNode returns.',
  );
  await refusal({ 'a.node.ts': double('ocr') }).toThrow(
    'a.node.ts and Inkgraph itself both define the node type "ocr" in version 1. Rename one of them.',
  );
  await refusal({ 'a.node.ts': double('mine'), 'b.node.ts': double('mine') }).toThrow(
    'b.node.ts and a.node.ts both define the node type "mine" in version 1. Rename one of them.',
  );
  await refusal({ 'a.node.ts': double('Not A Name') }).toThrow('a.node.ts, export made: "type" of the node is wrong');
});
