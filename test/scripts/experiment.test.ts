import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishAddresses } from '#app/compose/addresses.ts';
import { experiment as program } from '#scripts/experiment.ts';
import { runCommand } from '#test/support/command.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let published: AsyncDisposable;
let folder: string;
beforeAll(async () => {
  app = await startTestApp();
  published = await publishAddresses(app.dataDir, app.addresses);
  folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  await copyFile(new URL('../fixtures/note.gif', import.meta.url), join(folder, 'note.gif'));
});
afterAll(async () => {
  await published[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], dataDir = app.dataDir) =>
  runCommand(program, args, { env: { DATA_DIR: dataDir } });
async function fileOf(content: unknown): Promise<string> {
  const path = join(folder, 'experiment.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const oneMode = [{ op: 'set_config', nodeId: 'recognize', config: { pageSegmentationMode: 6 } }];
const whole = {
  dataset: { name: 'Notes', items: [{ file: 'note.gif', reference: { text: 'Memo for Delphine' }, split: 'dev' }] },
  variants: [{}, { name: 'one-block', operations: oneMode }],
  evaluators: [{ type: 'cer' }],
};

describe('npm run experiment', () => {
  test('uploads scans once, prints the verdict first, and ends with it', async () => {
    const path = await fileOf(whole);
    const first = await run([path]);
    expect(first, JSON.stringify(first)).toMatchObject({ code: 2 });
    expect(first.out).toMatch(/^one-block: Not decided/);
    expect(first.out).toMatch(/^baseline +1 +0 +\d/m);
    const second = await run([path, '--json']);
    expect(JSON.parse(second.out)).toMatchObject({ status: 'succeeded', runs: { done: 2, cached: 2 } });
    const tenant = { organizationId: app.seed.organizationId, projectIds: [app.seed.projectId] };
    const ids = await app.app.deps.documents.listIds(tenant, {}, 10);
    expect(await app.app.deps.documents.findMany(tenant, ids)).toMatchObject([{ filename: 'note.gif' }]);
    expect(await app.app.deps.datasets.list(tenant, null, 10)).toHaveLength(1);
  });

  test('shows the plan of a dry run', async () => {
    const { code, out } = await run([await fileOf(whole), '--dry-run']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ runs: 2, items: 1 });
  });

  test('plans the experiment of examples/experiment.json', async () => {
    const shipped = fileURLToPath(new URL('../../examples/experiment.json', import.meta.url));
    const { code, out, err } = await run([shipped, '--dry-run']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ items: 12 });
  });

  test('says what is wrong with a file, and what to do', async () => {
    const wrong: [unknown, RegExp][] = [
      ['{', /is not JSON/],
      [{ ...whole, variants: [{}] }, /\/variants/],
      [{ ...whole, dataset: { name: 'x', items: [{ file: 'missing.png' }] } }, /missing\.png cannot be read/],
      [{ ...whole, dataset: 'ds_unknown' }, /dataset\.not_found/],
    ];
    for (const [content, said] of wrong) {
      const { code, err } = await run([await fileOf(content)]);
      expect(code).toBe(1);
      expect(err).toMatch(said);
    }
    expect(await run([])).toMatchObject({ code: 1, err: expect.stringContaining('Usage:') });
  });

  test('says that no service runs', async () => {
    const { code, err } = await run([await fileOf(whole)], join(folder, 'empty'));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('npm start') });
  });
});
