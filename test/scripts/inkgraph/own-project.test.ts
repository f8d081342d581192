import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from 'inkgraph/client';
import { init } from '#scripts/inkgraph/project/init.ts';
import { programEnv, runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { tinyPng } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let project: string;
let env: Record<string, string | undefined>;

/** Parts of the repository that the package is made of. */
const parts =
  'app src graphs tools mcp http web packages scripts package.json tsconfig.json LICENSE README.md CHANGELOG.md'.split(
    ' ',
  );

/** Packs a copy of the repository with `npm pack`: it changes package.json for a moment. Resolves to the archive. */
async function packed(into: string): Promise<string> {
  const copy = join(into, 'repository');
  await mkdir(copy);
  for (const part of parts)
    await cp(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !/[/\\](node_modules|dist)$/.test(path),
    });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', into], { cwd: copy, env });
  const manifest = await readFile(join(root, 'package.json'), 'utf8');
  expect(await readFile(join(copy, 'package.json'), 'utf8')).toBe(manifest);
  const { version } = JSON.parse(manifest) as { version: string };
  return join(into, `inkgraph-${version}.tgz`);
}

/** Installs the archive as npm would, without its downloads: its libraries are links. Nothing of this repository's own is among them. */
async function install(into: string): Promise<void> {
  const home = join(into, 'node_modules/inkgraph');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', await packed(into), '--strip-components', '1', '-C', home]);
  const linked = async (modules: string, from: string): Promise<void> => {
    for (const name of await readdir(from)) {
      if (name.startsWith('.') || name === '@inkgraph' || name === 'inkgraph') continue;
      if (!name.startsWith('@')) await symlink(join(from, name), join(modules, name));
      else {
        await mkdir(join(modules, name));
        await linked(join(modules, name), join(from, name));
      }
    }
  };
  await linked(join(into, 'node_modules'), join(root, 'node_modules'));
}

const commandAt = (): string => join(folder.path, 'node_modules/inkgraph/dist/scripts/inkgraph.cjs');

async function inkgraph(cwd: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [commandAt(), ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number, out, err };
}

/** Saves as editors do: a new file takes the place of the old one. */
async function save(path: string, content: string): Promise<void> {
  await writeFile(join(project, `${path}~`), content);
  await rename(join(project, `${path}~`), join(project, path));
}

const edit = async (path: string, from: string, to: string): Promise<void> =>
  save(path, (await readFile(join(project, path), 'utf8')).replace(from, to));

const distance = `import { z } from 'zod';
import { distance } from 'fastest-levenshtein';
import { codeNode } from 'inkgraph';
export const likeness = codeNode({
  type: 'likeness',
  reads: ['ocr'],
  outputs: { likeness: z.int() },
  run: () => ({ likeness: distance('invoice', 'invoices') }),
});
`;
const agent = `import { FakeListChatModel } from '@langchain/core/utils/testing';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import { documentText, langGraphNode } from 'inkgraph';
const graph = createReactAgent({ llm: new FakeListChatModel({ responses: ['It is a letter.'] }), tools: [] });
export const opinion = langGraphNode(graph, {
  type: 'opinion',
  reads: ['ocr'],
  writes: ['opinion'],
  outputs: { opinion: z.string() },
  input: async (call) => ({ messages: [{ role: 'user', content: await documentText(call, 'ocr', 1_000) }] }),
  output: ({ messages }) => ({ opinion: (messages as { text: string }[]).at(-1)?.text }),
});
`;

beforeAll(async () => {
  folder = await temporaryFolder();
  project = join(folder.path, 'my-graphs');
  // The compiler is a Go program: as the gate runs it, with one thread.
  const sparing = { GOMAXPROCS: '1', GOGC: '400' };
  env = programEnv({ DATA_DIR: join(folder.path, 'data'), WEB: 'off', ...sparing });
  await install(folder.path);
}, 60_000);
afterAll(() => folder.remove());

describe("A project of one's own", () => {
  test('is made by init, in a new folder alone', async () => {
    const made = await inkgraph(folder.path, 'init', 'my-graphs');
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('npx inkgraph dev') });
    const again = await inkgraph(folder.path, 'init', 'my-graphs');
    expect(again).toMatchObject({ code: 1, err: 'my-graphs is not empty. Name a new folder.\n' });
  });

  test('depends on the archive of npm pack when the repository makes it, which is in no registry', async () => {
    const other = join(folder.path, 'of-repository');
    const { code, out } = await runCommand(init, [other], { env: {} });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const archive = join(root, `inkgraph-${version}.tgz`);
    const { dependencies } = JSON.parse(await readFile(join(other, 'package.json'), 'utf8'));
    expect(dependencies.inkgraph).toBe(`file:${relative(other, archive)}`);
    expect({ code, packs: out.includes('npm pack') }).toEqual({ code: 0, packs: !existsSync(archive) });
  });

  test('has the words of its own commands in their help and errors', async () => {
    expect((await inkgraph(project, 'graphs', '--help')).out).toMatch(/^Usage: npx inkgraph graphs <command>/);
    const wrong = await inkgraph(project, 'graphs', 'draw');
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('npx inkgraph graphs draw wf_triage') });
    expect(wrong.err).not.toContain('npm run');
  });

  test('is checked: its graphs, and its types', async () => {
    await save('graphs/likeness.node.ts', distance);
    await save('graphs/opinion.node.ts', agent);
    const workflow = 'graphs/reading.workflow.ts';
    await edit(
      workflow,
      'import { readingTime',
      "import { likeness } from './likeness.node.ts';\nimport { opinion } from './opinion.node.ts';\nimport { readingTime",
    );
    await edit(
      workflow,
      '    index: node(',
      '    compare: node(likeness, {}),\n    judge: node(opinion, {}),\n    index: node(',
    );
    await edit(
      workflow,
      "['reading_time', 'key_points', 'index']],",
      "['reading_time', 'key_points', 'compare', 'judge', 'index']],",
    );
    await edit(
      workflow,
      "[['reading_time', 'key_points', 'index'],",
      "[['reading_time', 'key_points', 'compare', 'judge', 'index'],",
    );
    await edit(workflow, "keyPoints: 'keyPoints'", "keyPoints: 'keyPoints', likeness: 'likeness', opinion: 'opinion'");
    expect(await inkgraph(project, 'check')).toEqual({
      code: 0,
      out: 'ok      reading.workflow.ts (wf_reading)  7 nodes, 12 edges\n',
      err: '',
    });
    // The commands for graphs know its workflows and nodes, before the services have ever started.
    expect(await inkgraph(project, 'graphs', 'draw', 'wf_reading')).toMatchObject({
      code: 0,
      out: expect.stringContaining('<small>likeness</small>'),
      err: '',
    });
    expect((await inkgraph(project, 'graphs', 'check')).out).toContain('ok      wf_reading  7 nodes, 12 edges\n');
    await edit(workflow, "opinion: 'opinion'", "opinion: 'opinon'");
    const wrong = await inkgraph(project, 'check');
    expect(wrong.code).toBe(1);
    expect(wrong.out).toMatch(/CHANNEL_UNKNOWN \/outputs\/opinion: .*"opinion"/);
    expect(wrong.out).toMatch(/graphs\/reading\.workflow\.ts\(\d+,\d+\): error TS2\d+: .*'"opinon"'/);
    await edit(workflow, "opinion: 'opinon'", "opinion: 'opinion'");
  });

  verifies(
    'code.project',
    async () => {
      const child = spawn(process.execPath, [commandAt(), 'dev'], {
        cwd: project,
        // Nobody asks for MCP here: test/supervisor starts all services.
        env: { ...env, SERVICES: 'api,agents', API_PORT: '0', AGENTS_PORT: '0', OBJECTS_PORT: '0' },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      try {
        const said = createInterface(child.stderr);
        const api = await nextApi(said);
        const { out } = await inkgraph(project, 'seed', '--json');
        const { serviceKey: apiKey } = JSON.parse(out) as { serviceKey: string };
        expect(await outputsBy(createClient({ baseUrl: api, apiKey }))).toMatchObject({
          likeness: 1,
          opinion: 'It is a letter.',
        });
        const typeError = lineWith(said, /error TS/);
        const restarted = nextApi(said);
        await edit(
          'graphs/likeness.node.ts',
          "distance('invoice', 'invoices')",
          "distance('a', 'bcd') as unknown as string",
        );
        expect(await typeError).toMatch(/likeness\.node\.ts/);
        expect(await outputsBy(createClient({ baseUrl: await restarted, apiKey }))).toMatchObject({ likeness: 3 });
      } finally {
        await end(child);
      }
    },
    { timeout: 60_000 },
  );
});

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}

/** The next line of this kind. */
function lineWith(lines: Interface, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      if (pattern.test(line)) resolve(line);
    });
    lines.once('close', () => reject(new Error(`the process ended without a line like ${pattern}`)));
  });
}

/** Address of the API of the services that say next that they are up. */
async function nextApi(lines: Interface): Promise<string> {
  const { api } = JSON.parse(await lineWith(lines, /"msg":"inkgraph is up"/)) as { api: string };
  return api;
}

/** Outputs of the workflow over the smallest picture: they do not depend on its text. */
async function outputsBy(client: Client): Promise<unknown> {
  const { document } = await client.upload(new Uint8Array(tinyPng), { contentType: 'image/png' });
  const started = await client.service.execute({ workflowId: 'wf_reading', documentIds: [document.id] });
  const { runs } = await client.wait(started);
  return (await client.service.getRun({ id: runs[0]?.runId ?? '' })).outputs;
}
