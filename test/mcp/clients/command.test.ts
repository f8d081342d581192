import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishAddresses } from '#app/compose/addresses.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { connect, explained } from '#scripts/mcp/connect.ts';
import { remoteSnippets, snippets } from '#scripts/mcp/snippets.ts';
import { mcp as program } from '#scripts/mcp.ts';
import { programEnv, runCommand, type CommandEnd } from '#test/support/command.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let app: TestApp;
let published: AsyncDisposable;
beforeAll(async () => {
  app = await startTestApp();
  published = await publishAddresses(app.dataDir, app.addresses);
});
afterAll(async () => {
  await published[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** `npm run mcp -- <args>` without a terminal. */
const mcp = (args: readonly string[], { input = '', env = {} } = {}): Promise<CommandEnd> =>
  runCommand(program, args, { input, env: { DATA_DIR: app.dataDir, ...env } });

/** The same, as a process of its own. */
async function spawned(args: readonly string[], { input = '', env = {} } = {}): Promise<CommandEnd> {
  const child = spawn(process.execPath, ['scripts/need-node.cjs', 'scripts/mcp.ts', ...args], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: programEnv({ DATA_DIR: app.dataDir, ...env }),
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  child.stdin.end(input);
  const [[code, signal], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: (code as number | null) ?? String(signal), out, err };
}
const nobody = { env: {}, input: Readable.from([]) };
const remote = (...args: string[]) => [...args, '--url', `${app.addresses.mcp}/mcp`];
const withKey = () => ({ env: { MCP_KEY: app.seed.serviceKey } });

it('shows the tools and what can be read, by a key or by the data folder, and what programs have to be told', async () => {
  const [tools, read] = await Promise.all([
    mcp(remote('tools'), withKey()),
    mcp(['read', 'inkgraph://node-types'], { env: programEnv({}) }),
  ]);
  expect(tools).toMatchObject({ code: 0, err: '' });
  expect(tools.out).toMatch(/^get_context {2}\S/m);
  expect(read).toMatchObject({ code: 0, err: '' });
  expect(read.out).toContain('"ocr"');
  const told = snippets({ url: 'https://mcp.example.com/mcp', dataDir: app.dataDir });
  expect(told['claude-code']).toBe('claude mcp add --transport http inkgraph https://mcp.example.com/mcp');
  expect(JSON.parse((told['vscode'] ?? '').replace(/^[^{]*/, ''))).toEqual({
    servers: { inkgraph: { type: 'http', url: 'https://mcp.example.com/mcp' } },
  });
  const { vscode } = remoteSnippets('https://mcp.example.com/mcp', 'ink_svc_x');
  expect(JSON.parse(vscode.replace(/^[^{]*/, ''))).toMatchObject({
    servers: { inkgraph: { headers: { Authorization: 'Bearer ink_svc_x' } } },
  });
  for (const name of ['stdio', 'cursor', 'vscode'])
    expect(() => void JSON.parse((told[name] ?? '').replace(/^[^{]*/, ''))).not.toThrow();
});

it('calls tools: what the tool says is printed, and its failure is that of the command', async () => {
  const [called, failed] = await Promise.all([
    spawned(remote('call', 'get_context', '-', '--json'), { input: '{}', ...withKey() }),
    mcp(remote('call', 'get_workflow', '{"workflowId":"wf_nobodys"}'), withKey()),
  ]);
  expect(called).toMatchObject({ code: 0, err: '' });
  const { structuredContent } = JSON.parse(called.out);
  expect(structuredContent).toMatchObject({ organization: { id: app.seed.organizationId } });
  expect(called.out).not.toContain(app.seed.serviceKey);
  expect(failed).toMatchObject({ code: 1, err: '' });
  expect(failed.out).toMatch(/^workflow\.not_found: /);
});

it('says in one line what was wrong with the command, its key or the address', async () => {
  const json = await mcp(remote('call', 'get_context', 'nope'), withKey());
  expect([json.code, json.out, json.err]).toEqual([
    1,
    '',
    expect.stringMatching(/^The arguments are not valid JSON: .*\n$/),
  ]);
  const problem = async (url: string): Promise<unknown> => {
    const failure: unknown = await connect({ url, key: `ink_svc_${'x'.repeat(38)}` }, nobody).catch(
      (error: unknown) => error,
    );
    return explained(failure, url);
  };
  const { mcp: at } = app.addresses;
  expect(await problem(`${at}/mcp`)).toEqual(
    new UsageError(`${at}/mcp rejects the key in MCP_KEY. Set a valid service key.`),
  );
  expect(await problem('http://127.0.0.1:1/mcp')).toEqual(
    new UsageError('No response from http://127.0.0.1:1/mcp. Start the service, or correct --url.'),
  );
  expect(await problem('nope')).toEqual(new UsageError('--url nope is not a valid URL.'));
});
