import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inkgraph } from '#scripts/inkgraph/main.ts';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, testNode } from '#test/graphs/support/graph-fixtures.ts';
import { programEnv, runCommand, type CommandEnd } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { addWorkflow } from '#test/support/workflows.ts';
import { smallPictures } from './small-pictures.ts';

/** More than two of the batches that it asks for (50 digests in a call). */
const files = 120;
const failing = testNode('failing', () => {
  throw new Error('the node fails');
});

let app: TestApp;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let env: { SERVICE_KEY: string; BASE_URL: string };
let pictures: Uint8Array[];
beforeAll(async () => {
  [folder, app, pictures] = await Promise.all([
    temporaryFolder(),
    startTestApp({
      env: { SERVICES: 'api,agents', RATE_LIMIT_PER_SECOND: '100000' },
      overrides: { catalog: catalogOf([noop, failing]) },
    }),
    smallPictures(files + 5),
  ]);
  env = { SERVICE_KEY: app.seed.serviceKey, BASE_URL: app.addresses.api };
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await folder.remove();
});

const call = (args: readonly string[]): Promise<CommandEnd> => runCommand(inkgraph, args, { env });

async function count(path: string): Promise<number> {
  const { body } = await app.call('GET', path, { key: env.SERVICE_KEY });
  return body.total?.value ?? body.counts.succeeded.value;
}

/** Starts a push in a process of its own, and ends it with SIGKILL after some files. */
async function killedAfter(uploads: number, args: readonly string[]): Promise<void> {
  const program = ['--disable-warning=ExperimentalWarning', 'scripts/inkgraph/main.ts', ...args];
  const child = spawn(process.execPath, program, { env: programEnv(env), stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let lines = 0;
  for await (const line of createInterface(child.stderr)) {
    lines += /^\d+\/\d+ uploaded /.test(line) ? 1 : 0;
    if (lines === uploads) break;
  }
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
}

verifies(
  'command.push',
  async () => {
    const scans = join(folder.path, 'scans');
    mkdirSync(join(scans, 'deep', 'er'), { recursive: true });
    for (const [at, bytes] of pictures.slice(0, files).entries())
      writeFileSync(join(scans, at % 3 === 0 ? 'deep/er' : '', `${at}.png`), bytes);
    writeFileSync(join(scans, 'notes.txt'), 'no document');
    const workflow = await addWorkflow(app, graphOf({ a: 'noop' }, ['START>a', 'a>END']));
    const args = ['push', scans, '--workflow', workflow, '--wait'];
    await killedAfter(30, args);
    await killedAfter(40, args);
    const state = join(scans, '.inkgraph-push.jsonl');
    appendFileSync(state, '{"path":"half a li');
    const third = await call(args);
    expect(third).toMatchObject({ code: 0 });
    const [, fresh = '', there = ''] =
      /^(\d+) uploaded, (\d+) there already, 0 failed, \d+ runs succeeded, 1 of other types/.exec(third.out) ?? [];
    expect(Number(fresh) + Number(there)).toBe(files);
    expect(Number(there)).toBeGreaterThanOrEqual(70);
    const { body } = await app.call('GET', '/api/service/documents?limit=100&total=true', { key: env.SERVICE_KEY });
    expect(body.total).toEqual({ value: files, relation: 'eq' });
    expect(await call(args)).toMatchObject({ code: 0, out: expect.stringMatching(/^0 uploaded, 120 there already/) });
    expect(await count('/api/service/documents?limit=1&total=true')).toBe(files);
    expect(await count(`/api/service/runs?limit=1&counts=true&workflowId=${workflow}`)).toBe(files);
    // An upload whose document nobody acknowledged goes on where it was: no second upload.
    expect(readFileSync(state, 'utf8').match(/objectKey/g)?.length).toBeGreaterThanOrEqual(files);
  },
  { timeout: 60_000 },
);

verifies('command.push.failures', async () => {
  const mixed = join(folder.path, 'mixed');
  mkdirSync(mixed);
  writeFileSync(join(mixed, 'good.png'), pictures[files] ?? '');
  writeFileSync(join(mixed, 'same.png'), pictures[files] ?? '');
  writeFileSync(join(mixed, 'torn.png'), (pictures[files + 1] ?? new Uint8Array()).slice(0, 40));
  const workflow = await addWorkflow(app, graphOf({ a: 'failing' }, ['START>a', 'a>END']));
  const end = await call(['push', mixed, '--workflow', workflow, '--wait']);
  expect(end).toMatchObject({ code: 1, out: '1 uploaded, 1 there already, 1 failed, 1 run failed.\n' });
  expect(end.err).toMatch(/^.*torn\.png: [^\n]+\n/m);
  expect(end.err).toMatch(/^doc_\w+: Node "a" failed/m);
  const foreign = join(folder.path, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'new.png'), pictures[files + 1] ?? '');
  const missing = await call(['push', foreign, '--languages', 'eng,pol']);
  expect(missing.err).toMatch(/new\.png: .*"pol" is not installed here/);
  await call(['push', foreign, '--languages', 'eng']);
  const { body: newest } = await app.call('GET', '/api/service/documents?limit=1', { key: env.SERVICE_KEY });
  expect(newest.documents).toMatchObject([{ languages: ['eng'] }]);
  const json = await call(['push', join(mixed, 'good.png'), '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ files: [{ isNew: false }], failed: 0, executions: [] });
  const mistakes: [string[], RegExp][] = [
    [['push'], /^Name a file or a folder/],
    [['push', join(mixed, 'none')], /does not exist/],
    [['push', mixed, '--parallel', '99'], /^--parallel must be/],
    [['push', mixed, '--workflow', 'wf_nope'], /no published workflow wf_nope\. Choose one of: /],
    [['push', mixed, '--wrong'], /--wrong/],
    [['push', mixed, '--key', 'ink_wf_x'], /no service key/],
    [['push', mixed, '--key', 'ink_svc_x'], /./],
    [['push', mixed, '--url', 'nonsense'], /^--url nonsense is no address/],
    [['push', mixed, '--state', join(folder.path, 'no', 'state')], /cannot be written \(ENOENT\)/],
    [['pull'], /^pull is no command/],
  ];
  for (const [args, words] of mistakes)
    expect(await call(args)).toEqual({ code: 1, out: '', err: expect.stringMatching(words) });
  for (const args of mistakes.map(([mistake]) => mistake).slice(1))
    expect((await call(args)).err).toMatch(/^[^\n]+\n$/);
  for (const name of ['push', 'watch', 'search', 'get', 'ask', 'export'])
    expect(await call([name, '--help'])).toMatchObject({ code: 0, out: expect.stringContaining(`inkgraph ${name}`) });
  expect(await call([])).toMatchObject({ code: 0, out: expect.stringContaining('watch') });
});

verifies('command.watch', async () => {
  const inbox = join(folder.path, 'inbox');
  mkdirSync(inbox);
  writeFileSync(join(inbox, 'early.png'), pictures[files + 2] ?? '');
  const stop = new AbortController();
  const lines = new Readable({ read: () => undefined });
  const err: string[] = [];
  const watching = inkgraph({
    args: ['watch', inbox],
    env,
    input: Readable.from([]),
    out: (text) => void lines.push(text),
    err: (text) => void err.push(text),
    stop: stop.signal,
  });
  const told = createInterface(lines)[Symbol.asyncIterator]();
  expect((await told.next()).value).toMatch(/^doc_\w+ .*early\.png$/);
  // A file that is written elsewhere and moved into a new folder.
  const [part, place] = [join(folder.path, 'part.png'), join(inbox, 'new')];
  writeFileSync(part, pictures[files + 3] ?? '');
  mkdirSync(place);
  renameSync(part, join(place, 'late.png'));
  expect((await told.next()).value).toMatch(/^doc_\w+ .*late\.png$/);
  stop.abort();
  await watching;
  expect(err.join('')).toContain('Ctrl-C ends it');
});

test('a terminal shows a bar that is written over', async () => {
  const err: string[] = [];
  const lone = join(folder.path, 'lone.png');
  writeFileSync(lone, pictures[files + 4] ?? '');
  const input = Readable.from([]);
  await inkgraph({
    args: ['push', lone],
    env,
    input,
    out: () => undefined,
    err: (text) => void err.push(text),
    isWatched: true,
  });
  expect(err.join('')).toMatch(/^\r\u001B\[2K\[#{30}\] 1\/1 uploaded .*lone\.png\n$/);
});
