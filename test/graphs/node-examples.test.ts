import { describe, expect, test } from 'vitest';
import { catalog } from '#graphs/catalog.ts';
import { checkGraph } from '#graphs/check.ts';
import { exampleGraph } from '#scripts/gen/example-graph.ts';
import { nodePages, nodesDoc } from '#scripts/gen/nodes-doc.ts';

const rows = catalog.definitions.map((definition) => [definition.type, definition] as const);

describe('The example of every node type', () => {
  test.each(rows)('%s: its config is taken, by itself and in the graph of its page', (_, definition) => {
    const { type, version, example } = definition;
    const graph = exampleGraph(definition, catalog);
    expect(Object.values(graph.nodes)).toContainEqual(
      expect.objectContaining({ type, typeVersion: version, config: example }),
    );
    const { valid, issues } = checkGraph(JSON.parse(JSON.stringify(graph)), catalog);
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(valid).toBe(true);
  });

  test.each(rows)('%s: every setting says what it means', (_, definition) => {
    for (const [name, field] of Object.entries(definition.params.shape))
      expect((field as { description?: string }).description, name).toMatch(/\S/);
  });
});

describe('The pages of node types', () => {
  test('are one for each type, linked from the index, with every setting', () => {
    const pages = nodePages();
    for (const { type, params } of catalog.definitions) {
      const page = pages[`docs/reference/nodes/${type}.md`]?.() ?? '';
      expect(nodesDoc()).toContain(`(nodes/${type}.md)`);
      for (const name of Object.keys(params.shape)) expect(page).toContain(`| \`${name}\``);
    }
    expect(Object.keys(pages)).toHaveLength(catalog.definitions.length);
  });
});
