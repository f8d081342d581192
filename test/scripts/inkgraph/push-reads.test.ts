import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { inkgraph } from '#scripts/inkgraph/main.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { smallPictures } from './small-pictures.ts';

verifies('command.push.reads', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api,agents' } });
  const folder = await temporaryFolder();
  const env = { SERVICE_KEY: app.seed.serviceKey, BASE_URL: app.addresses.api };
  const push = (...args: string[]) => runCommand(inkgraph, ['push', ...args], { env });
  const [first = new Uint8Array(), second = new Uint8Array()] = await smallPictures(2);
  const [scans, more] = [join(folder.path, 'scans'), join(folder.path, 'more')];
  for (const path of [scans, more]) mkdirSync(path);
  writeFileSync(join(scans, 'one.png'), first);
  writeFileSync(join(more, 'two.png'), second);

  expect(await push(more, '--workflow', 'none', '--wait')).toMatchObject({
    code: 0,
    out: '1 uploaded, 0 there already, 0 failed.\n',
  });
  expect((await push(more, '--workflow', 'wf_receipt_extraction', '--wait')).out).toContain('1 run succeeded');
  // Nobody has read the first; the second was, by another workflow.
  expect(await push(scans, more, '--wait')).toMatchObject({
    code: 0,
    out: '1 uploaded, 1 there already, 0 failed, 1 run succeeded.\n',
  });
  expect((await push(scans, more, '--wait')).out).toBe('0 uploaded, 2 there already, 0 failed.\n');
  const { body } = await app.call('GET', '/api/service/documents', { key: env.SERVICE_KEY });
  expect(body.documents).toMatchObject([{ filename: 'one.png' }, { filename: 'two.png' }]);
  const workflows = body.documents.map(({ lastRun }: { lastRun: { workflowId: string } }) => lastRun.workflowId);
  expect(new Set(workflows).size).toBe(2);
  await folder.remove();
});
