import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportLine, seedProject } from '#scripts/seed.ts';
import { runCommand, spawnCommand } from '#test/support/command.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { grantedScopes, keyScopes, kindScopes } from '#src/contracts/scopes.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import { loadConfig } from '#src/config/config.ts';
import { startTestApp } from '#test/support/test-app.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const seed = (...args: string[]) => runCommand(seedProject, args, { env: { DATA_DIR: folder.path } });

async function seeded() {
  const { code, out, err } = await seed('--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('npm run seed', () => {
  test('makes one organization, project, every workflow in code and three keys, and answers the same ones ever after', async () => {
    const first = await seeded();
    expect(await seeded()).toEqual(first);
    const again = await spawnCommand('scripts/seed.ts', ['--json'], folder.path);
    expect({ ...again, out: JSON.parse(again.out) }).toEqual({ code: 0, err: '', out: first });
    const stored = await collectionsIn(folder.path);
    const { organizations, projects, workflows, apiKeys } = stored;
    const counts = await Promise.all(
      [organizations, projects, workflows, apiKeys].map((one) => one.countDocuments({})),
    );
    await stored.close();
    expect(counts).toEqual([1, 1, codeWorkflows.length, 3]);
    expect((await stat(join(folder.path, 'seed.json'))).mode & 0o777).toBe(0o600);
  });

  test('answers where the running services really are, and keys that work there', async () => {
    await using app = await startTestApp({ env: { SERVICES: 'api' }, dataDir: folder.path });
    const made = await seeded();
    expect(made).toMatchObject(app.seed);
    const answer = await fetch(`${app.addresses.api}/api/service/workflows`, {
      headers: { 'x-api-key': made.serviceKey },
    });
    const { workflows } = (await answer.json()) as { workflows: { workflowId: string }[] };
    expect(workflows.map(({ workflowId }) => workflowId)).toContain(made.workflowId);
  });

  test('says what each key may do', async () => {
    const made = await seeded();
    expect(made).toMatchObject({ workflowKeyScopes: ['uploads:write'], agentKeyScopes: keyScopes });
    expect(made.serviceKeyScopes).toEqual(keyScopes.filter((scope) => grantedScopes(kindScopes.service).has(scope)));
    expect((await seed()).out).toMatch(/^workflowKeyScopes +uploads:write$/m);
  });

  test('adds the key for agents to a file of an older version', async () => {
    const path = join(folder.path, 'seed.json');
    const { agentKey, ...older } = await seeded();
    await writeFile(path, JSON.stringify(older));
    const made = await seeded();
    expect(made).toEqual({ ...made, ...older });
    expect(made.agentKey).not.toBe(agentKey);
    expect(await seeded()).toEqual(made);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('replaces a file whose organization the database does not know', async () => {
    const stale = { organizationId: 'org_gone', projectId: 'p', workflowId: 'w', workflowKey: 'k', serviceKey: 's' };
    await writeFile(join(folder.path, 'seed.json'), JSON.stringify(stale));
    const made = await seeded();
    expect(made.organizationId).not.toBe('org_gone');
    expect(JSON.parse(await readFile(join(folder.path, 'seed.json'), 'utf8'))).toMatchObject({
      organizationId: made.organizationId,
    });
  });

  test('prints with --env lines that a shell evaluates to the keys and addresses of --json', async () => {
    const made = await seeded();
    const { code, out, err } = await seed('--env');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const names = [...out.matchAll(/^export ([A-Z_]+)='[^']*'$/gm)].map(([, name]) => name);
    expect(names).toHaveLength(out.trimEnd().split('\n').length);
    const shell = spawn('/bin/sh', ['-c', `eval "$1"; env`, 'sh', out], { env: {} });
    const values = await text(shell.stdout);
    for (const [name, value] of Object.entries({
      WORKFLOW_KEY: made.workflowKey,
      SERVICE_KEY: made.serviceKey,
      AGENT_KEY: made.agentKey,
      EMAIL: made.operatorEmail,
      PASSWORD: made.operatorPassword,
      WORKFLOW_ID: made.workflowId,
      BASE_URL: made.baseUrl,
      MCP_URL: made.mcpUrl,
    }))
      expect(`\n${values}`).toContain(`\n${name}=${value}\n`);
    expect(loadConfig(Object.fromEntries(names.map((name) => [name, ''])))).toMatchObject({ warnings: [] });
  });

  test('quotes a value for the shell', () => {
    expect(exportLine('A', `it's $(x)`)).toBe(String.raw`export A='it'\''s $(x)'`);
  });

  test('an option that it does not know ends with 1 and one line', async () => {
    const { code, out, err } = await seed('--yaml');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('--yaml');
    expect(err).not.toMatch(/\n\s+at /);
  });
});
