import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { greet, ofPackage, sayStopping } from '#app/greeting.ts';
import { usualLevel } from '#src/adapters/logger/pino-logger.ts';
import { loadConfig } from '#src/config/config.ts';
import { version } from '#src/config/version.ts';
import { temporaryFolder } from '#test/support/objects.ts';

const addresses = { api: 'http://127.0.0.1:3000', agents: 'http://a', mcp: 'http://m', objects: 'http://o' };
const trial =
  'eval "$(npm run -s seed -- --env)"; npm run -s inkgraph -- push test/fixtures/receipt.jpg --workflow wf_receipt_extraction --wait';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

async function said(isTTY: boolean | undefined, env: Record<string, string> = {}): Promise<string[]> {
  let text = '';
  const out = { ...(isTTY === undefined ? {} : { isTTY }), write: (one: string) => (text += one) };
  await greet(out, addresses, loadConfig({ DATA_DIR: folder.path, ...env }));
  return text.trim().split('\n');
}

test('a start on a terminal ends with the addresses, the sign-in, a command to try, the folder and the way to stop', async () => {
  expect(await said(true)).toEqual([
    `Inkgraph ${version} is up.`,
    '',
    '  Dashboard  http://127.0.0.1:3000',
    '  API docs   http://127.0.0.1:3000/api/openapi.json',
    '  MCP        http://m/mcp',
    '  Sign in    npm run seed   (in a second terminal: prints e-mail address, password and keys)',
    `  Try        ${trial}`,
    `  Data       ${folder.path}`,
    '  Stop       Ctrl-C',
  ]);
});

test('the greeting of a seeded folder names the operator and no secret, and a broken seed file does not end the start', async () => {
  const seed = { organizationId: 'o', projectId: 'p', workflowId: 'w', workflowKey: 'k1', serviceKey: 'k2' };
  const operator = { operatorEmail: 'operator-1@inkgraph.local', operatorPassword: 'hunter2' };
  await writeFile(join(folder.path, 'seed.json'), JSON.stringify({ ...seed, ...operator }));
  const lines = await said(true);
  expect(lines).toContain('  Sign in    operator-1@inkgraph.local   (npm run seed prints the password and the keys)');
  expect(lines.join('\n')).not.toMatch(/hunter2|k1|k2/);
  await writeFile(join(folder.path, 'seed.json'), '{');
  expect(await said(true)).toContainEqual(expect.stringMatching(/Sign in {4}npm run seed/));
});

test('the greeting names what this process serves, and a folder below this one as a person would type it', async () => {
  expect(await said(true, { SERVICES: 'mcp', DATA_DIR: 'data' })).toEqual([
    `Inkgraph ${version} is up.`,
    '',
    '  MCP        http://m/mcp',
    '  Data       ./data',
    '  Stop       Ctrl-C',
  ]);
  expect(await said(true, { SERVICES: 'agents' })).toContain('  Agents     http://a');
  expect(await said(true, { WEB: 'off' })).toContain('  API        http://127.0.0.1:3000');
});

test('the greeting of the package names its own commands', async () => {
  let text = '';
  const out = { isTTY: true, write: (one: string) => (text += one) };
  await greet(out, addresses, loadConfig({ DATA_DIR: folder.path }), ofPackage);
  expect(text).toContain('Sign in    npx inkgraph seed ');
  expect(text).not.toContain('npm run');
});

test('a start without a terminal prints nothing and logs each step; on a terminal it logs what is wrong', async () => {
  expect(await said(false)).toEqual(['']);
  expect(await said(undefined)).toEqual(['']);
  expect([usualLevel(false), usualLevel(true)]).toEqual(['info', 'warn']);
  expect(loadConfig({}).logLevel).toBeNull();
  expect(loadConfig({ LOG_LEVEL: 'debug' }).logLevel).toBe('debug');
});

test('the first Ctrl-C on a terminal is answered', () => {
  const lines: string[] = [];
  const write = (text: string): unknown => lines.push(text);
  sayStopping({ write });
  sayStopping({ isTTY: true, write });
  expect(lines).toEqual(['\nStopping. Press Ctrl-C again to stop at once.\n']);
});
