import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { triage } from '#graphs/triage.workflow.ts';
import { graphs as program } from '#scripts/graphs.ts';
import { runCommand, spawnCommand } from '#test/support/command.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

/** The service runs: what the command saves is in its store at once. */
let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  // Inside the repository, where `#graphs/` means this project.
  const parent = fileURLToPath(new URL('../../.tmp/', import.meta.url));
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'graphs-'));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const graphs = (...args: string[]) => runCommand(program, args, { env: { DATA_DIR: app.dataDir } });

async function said(...args: string[]): Promise<string> {
  const { code, out, err } = await graphs(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

async function written(name: string, value: unknown): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

const stored = (id: string) => app.app.deps.workflows.findDraft(app.seed.organizationId, id);

describe('npm run graphs', () => {
  test('check is content with all workflows in code, and ends with 1 on a graph with errors, telling them all', async () => {
    const fine = await said('check');
    for (const { id } of codeWorkflows) expect(fine).toContain(`ok      ${id}`);
    const file = await written('bad.json', {
      schemaVersion: 1,
      name: 'Bad',
      nodes: { a: { type: 'ocrr' } },
      edges: [{ from: 'a', to: 'b' }],
    });
    const { code, out } = await graphs('check', 'wf_triage', file);
    expect(code).toBe(1);
    expect(out).toContain('ok      wf_triage');
    for (const issue of ['NODE_TYPE_UNKNOWN /nodes/a/type', 'EDGE_TARGET_UNKNOWN', 'NO_ENTRY'])
      expect(out).toContain(issue);
    // As a process of its own, whose exit code says it.
    const json = await spawnCommand('scripts/graphs.ts', ['check', file, '--json'], app.dataDir);
    expect(json).toMatchObject({ code: 1, err: '' });
    expect(JSON.parse(json.out)).toMatchObject([{ name: file, valid: false, stats: { nodes: 1, edges: 1 } }]);
  });

  test('import saves a draft, then its next revision, as cli with a note; export gives the same graph again', async () => {
    const first = await written('first.json', documentIntake.graph);
    const made = JSON.parse(await said('import', first, '--note', 'moved in', '--json'));
    expect(made).toMatchObject({ revision: 1, valid: true, issues: [] });
    expect(await stored(made.workflowId)).toMatchObject({
      graph: documentIntake.graph,
      lastEdit: { author: 'cli', surface: 'cli', note: 'moved in' },
    });
    const next = await said('export', 'wf_triage', '--out', join(folder, 'next.workflow.ts'));
    expect(next).toContain('Written: ');
    const changed = await said('import', join(folder, 'next.workflow.ts'), '--workflow', made.workflowId);
    expect(changed).toContain(`${made.workflowId}  draft revision 2`);
    expect(await stored(made.workflowId)).toMatchObject({
      revision: 2,
      graph: triage.graph,
      graphHash: triage.graphHash,
    });
    expect(await said('import', join(folder, 'next.workflow.ts'), '--workflow', made.workflowId)).toContain(
      'No difference',
    );
    const out = join(folder, 'again.workflow.ts');
    await said('export', made.workflowId, '--out', out);
    const module = (await import(pathToFileURL(out).href)) as Record<string, { id: string; graphHash: string }>;
    expect(module['triageWorkflow']).toMatchObject({ id: 'wf_triage', graphHash: triage.graphHash });
    expect(StoredGraph.parse(JSON.parse(await said('export', made.workflowId, '--format', 'json')))).toEqual(
      triage.graph,
    );
    expect(await said('list')).toContain(`${made.workflowId}  stored  Triage`);
  }, 120_000);

  test('a large difference is saved in steps of the size that one edit may have', async () => {
    const nodes = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, { type: 'ocr' }]));
    const [small, large] = [1, 240].map((count) => ({ schemaVersion: 1, name: 'L', nodes: nodes(count), edges: [] }));
    const made = JSON.parse(await said('import', await written('small.json', small), '--json'));
    await said('import', await written('large.json', large), '--workflow', made.workflowId);
    const draft = await stored(made.workflowId);
    expect(draft?.revision).toBe(4);
    // The edit declares the channel that the nodes write.
    expect(Object.keys(draft?.graph.state ?? {})).toEqual(['ocr']);
    expect({ ...draft?.graph, state: {} }).toEqual(StoredGraph.parse(large));
  });

  test('diff lists operations, and nothing for equal graphs; draw answers Mermaid, or writes SVG', async () => {
    const followed = app.seed.workflowId;
    expect(await said('diff', 'wf_document_intake', `${followed}@1`)).toBe('No difference.\n');
    const operations = JSON.parse(await said('diff', followed, 'wf_receipt_extraction', '--json'));
    expect(operations).toContainEqual(expect.objectContaining({ op: 'add_node', nodeId: 'extract_fields' }));
    expect(await said('draw', followed)).toMatch(/^flowchart TD\n/);
    const file = join(folder, 'drawn.svg');
    await said('draw', 'wf_triage', '--format', 'svg', '--out', file);
    expect(await readFile(file, 'utf8')).toMatch(/^<svg /);
  });

  test.each([
    [['paint'], 'Usage:'],
    [['check', 'nothing'], '"nothing" is not a graph'],
    [['export', 'wf_none'], 'No workflow with this id'],
    [['export', 'wf_triage', '--format', 'svg'], '--format must be ts or json'],
    [['export', 'wf_triage', '--out', 'no/such/folder/x.ts'], 'Cannot write no/such/folder/x.ts of --out'],
    [['list', '--out', 'x'], 'list has no option --out'],
    [['draw', 'graphs/hash.ts'], 'exports 0 workflows'],
  ])('%j ends with 1 and says why, without a stack', async (args, reason) => {
    const { code, out, err } = await graphs(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(reason);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test('import refuses what follows code, and names the way out', async () => {
    const file = await written('other.json', triage.graph);
    const { code, err } = await graphs('import', file, '--workflow', app.seed.workflowId);
    expect(code).toBe(1);
    expect(err).toContain('Copy it with create_workflow');
  });
});
