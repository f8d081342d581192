import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '#test/support/objects.ts';

const program = `
  const { loadInParts } = await import('#app/compose/processes/load-in-parts.ts');
  await loadInParts(['api', 'mcp']);
  process.exit(0);
`;

/** Entries of the compile cache that a process holds at most, by the lines in which Node tells of reading and of writing them. */
async function mostEntries(): Promise<number> {
  const folder = await temporaryFolder();
  await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../..', import.meta.url),
    env: { NODE_COMPILE_CACHE: folder.path, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    maxBuffer: 64 * 2 ** 20,
  });
  let held = 0;
  let most = 0;
  for (const line of stderr.split('\n')) {
    held = line.includes('reading cache from') ? held + 1 : /skip persisting|writing cache/.test(line) ? 0 : held;
    most = Math.max(most, held);
  }
  return most;
}

test('a service process reads its modules in parts, and keeps the compile cache of one part at a time', async () => {
  const most = await mostEntries();
  // Two entries for each module of TypeScript. All of them together would be some 2,000.
  expect(most).toBeGreaterThan(100);
  expect(most).toBeLessThan(700);
}, 60_000);
