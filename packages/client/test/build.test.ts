import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
const INSTALLED = join(PACKAGE, '../../node_modules');
const run = promisify(execFile);

let folder: string;
let built: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'built-client-'));
  built = join(folder, 'node_modules/@inkgraph/client');
  await run(process.execPath, ['../../scripts/pack/build-workspace.ts', built], { cwd: PACKAGE });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

describe('the built package', () => {
  it('runs from plain JavaScript, imports nothing, and has no built-in of Node', async () => {
    await writeFile(
      join(folder, 'program.js'),
      "import { createClient } from '@inkgraph/client';\nconsole.log(typeof createClient({ baseUrl: 'http://x', apiKey: 'k' }).upload);\n",
    );
    expect((await run(process.execPath, ['program.js'], { cwd: folder })).stdout).toBe('function\n');
    const files = (await readdir(built)).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(files.map((name) => readFile(join(built, name), 'utf8')));
    const imported = texts.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, specifier]) => specifier));
    expect(imported.filter((specifier) => specifier?.startsWith('./') !== true)).toEqual([]);
    expect(JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
  });

  it('has types for browsers, by which a misspelt field does not compile', async () => {
    const program = (field: string): string => `
        import { createClient, items } from '@inkgraph/client';
        const client = createClient({ baseUrl: 'http://x', apiKey: 'k' });
        const execution = await client.service.execute({ ${field}: 'wf_a', documentIds: ['doc_a'] });
        export const status: 'succeeded' | string = (await client.wait(execution)).status;
        for await (const record of items(client.records.query, 'records', { recordType: 'receipt' }))
          console.log(record.cells['total']?.box?.[0].toFixed(2));
        for await (const { data } of client.service.executionEvents({ id: execution.id }))
          if (data.type === 'run.completed') console.log(data.ms);
      `;
    await writeFile(join(folder, 'consumer.ts'), program('workflowId'));
    await writeFile(join(folder, 'misspelt.ts'), program('workflowID'));
    const options =
      '--noEmit --strict --module nodenext --target es2024 --lib es2024,dom --pretty false --ignoreConfig --types';
    const args = [join(INSTALLED, 'typescript/bin/tsc'), ...options.split(' '), '', 'consumer.ts', 'misspelt.ts'];
    // One run of the compiler for both.
    const failure = await run(process.execPath, args, { cwd: folder }).then(
      () => ({ stdout: '' }),
      (error: unknown) => error as { stdout: string },
    );
    const errors = failure.stdout.split('\n').filter((line) => /^\S/.test(line));
    expect(errors).toEqual([expect.stringMatching(/^misspelt\.ts\(.*'workflowID' does not exist/)]);
  }, 60_000);
});
