import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
const INSTALLED = join(PACKAGE, '../../node_modules');
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-'));
  await run(
    process.execPath,
    ['../../scripts/pack/build-workspace.ts', join(folder, 'node_modules/@inkgraph/embedded-mongo')],
    {
      cwd: PACKAGE,
    },
  );
  for (const name of ['bson', 'lru-cache', 'snowball-stemmers', 'mongodb', 'typescript', '@types/node']) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(INSTALLED, name), link);
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

describe('the built package', () => {
  it('opens a database from plain JavaScript, in a worker thread, and backs it up', async () => {
    const program = `
      import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
      import { backUpDatabase } from '@inkgraph/embedded-mongo/backup';
      import { MongoClient } from 'mongodb';
      const database = await openEmbeddedDatabase({ dataDir: 'data' });
      const client = await MongoClient.connect(database.uri);
      await client.db('d').collection('c').insertOne({ _id: 1, text: 'relational' });
      const found = await client.db('d').collection('c').findOne({ text: /^rel/ });
      const documents = await backUpDatabase('data', 'copy.sqlite', { force: false, progress: () => undefined });
      await client.close();
      await database.close();
      console.log(JSON.stringify({ found, documents }));
    `;
    await writeFile(join(folder, 'program.js'), program);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ found: { _id: 1, text: 'relational' }, documents: 1 });
  });

  it('has types that a consumer is checked against', async () => {
    const consumer = (port: string): string => `
      import { type EmbeddedDatabase, openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
      import { checkDatabase } from '@inkgraph/embedded-mongo/backup';
      const database: EmbeddedDatabase = await openEmbeddedDatabase({ dataDir: 'data', port: ${port} });
      export const problems: string[] = checkDatabase(database.uri).problems;
    `;
    await writeFile(join(folder, 'consumer.ts'), consumer('0'));
    await writeFile(join(folder, 'mistaken.ts'), consumer("'none'"));
    const options =
      '--noEmit --strict --module nodenext --target es2024 --types node --pretty false --ignoreConfig'.split(' ');
    const compiler = join(INSTALLED, 'typescript/bin/tsc');
    // One run of the compiler for both.
    const failure = await run(process.execPath, [compiler, ...options, 'consumer.ts', 'mistaken.ts'], {
      cwd: folder,
    }).then(
      () => ({ stdout: '' }),
      (error: unknown) => error as { stdout: string },
    );
    const errors = failure.stdout.split('\n').filter((line) => /^\S/.test(line));
    expect(errors).toEqual([expect.stringMatching(/^mistaken\.ts\(.*'string' is not assignable to type 'number'/)]);
  }, 60_000);

  it('has a manifest without sources, scripts or development dependencies', async () => {
    const manifest = JSON.parse(
      await readFile(join(folder, 'node_modules/@inkgraph/embedded-mongo/package.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect(JSON.stringify(manifest)).not.toMatch(/\.ts"(?<!\.d\.ts")/);
    expect(manifest).toMatchObject({ exports: { '.': { types: './open.d.ts', default: './open.js' } } });
    expect(manifest).not.toHaveProperty('scripts');
  });
});
