import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { productCode } from '#graphs/code/code.ts';
import { checkCodeWorkflows, codeFileOf } from '#graphs/code/check-code.ts';
import { defineWorkflow } from '#graphs/build.ts';
import { codeWorkflows } from '#graphs/workflows.ts';

const root = new URL('../../', import.meta.url);
const { graphs } = JSON.parse(await readFile(new URL('langgraph.json', root), 'utf8')) as {
  graphs: Record<string, string>;
};

interface Loaded {
  readonly builder: object;
  getGraphAsync(): Promise<{ nodes: Record<string, unknown>; edges: { source: string; target: string }[] }>;
}

/** As LangGraph's server reads a line of langgraph.json: a file and an export, which is a graph or makes one. */
async function loadAsTheServer(spec: string): Promise<Loaded> {
  const [file = '', name = 'default'] = spec.split(':', 2);
  const module = (await import(fileURLToPath(new URL(file, root)))) as Record<string, () => Promise<Loaded>>;
  const factory = module[name];
  if (!factory) throw new Error(`${file} does not export ${name}`);
  return factory();
}

describe('langgraph.json', () => {
  test('has a line for each workflow in code', () => {
    expect(Object.keys(graphs).map((id) => `wf_${id.replaceAll('-', '_')}`)).toEqual(codeWorkflows.map(({ id }) => id));
  });

  test.each(Object.entries(graphs))('%s loads as LangGraph’s tooling does it, with its nodes', async (id, spec) => {
    const loaded = await loadAsTheServer(spec);
    expect(loaded.builder).toBeTypeOf('object');
    const drawn = await loaded.getGraphAsync();
    const { nodes } = codeWorkflows.find((one) => one.id === `wf_${id.replaceAll('-', '_')}`)?.graph ?? { nodes: {} };
    expect(Object.keys(drawn.nodes)).toEqual(expect.arrayContaining(['__start__', ...Object.keys(nodes), '__end__']));
    expect(drawn.edges).toContainEqual(expect.objectContaining({ source: '__start__', target: 'load_image' }));
  });
});

describe('Workflows in code', () => {
  test('are each in the file their id names, and are all right', async () => {
    expect(() => checkCodeWorkflows(productCode)).not.toThrow();
    for (const workflow of codeWorkflows) {
      const file = fileURLToPath(new URL(codeFileOf(workflow.id), root));
      expect(Object.values((await import(file)) as object)).toContain(workflow);
    }
  });

  test('with errors are refused before anything starts: all errors, under the file they are in', () => {
    const broken = defineWorkflow({
      id: 'wf_broken_one',
      name: 'Broken',
      description: '',
      state: {},
      nodes: { a: { type: 'ocrr' } },
      edges: [['START', 'a']],
      outputs: {},
    });
    const report = (): void => checkCodeWorkflows({ ...productCode, workflows: [...codeWorkflows, broken, broken] });
    expect(report).toThrow(expect.objectContaining({ code: 'workflow.invalid' }));
    expect(report).toThrow(
      /graphs\/broken-one\.workflow\.ts \(wf_broken_one\)\n {2}NODE_TYPE_UNKNOWN \/nodes\/a\/type: .*\n(.*\n)*.*ID_COLLISION/,
    );
    expect(report).not.toThrow(/document-intake/);
  });
});
