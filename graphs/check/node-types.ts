import { nodeError, pointer, type GraphIssue } from '#graphs/check/issue.ts';
import { suggest } from '#graphs/check/nearest.ts';
import type { Sketch, SketchNode } from '#graphs/check/sketch.ts';
import type { NodeDefinition } from '#graphs/define.ts';

/** NODE_TYPE_UNKNOWN and CONFIG_INVALID: what the catalogue says about each node. */
export function checkNodeTypes(graph: Sketch): GraphIssue[] {
  return [...graph.nodes.values()].flatMap((node) => {
    if (node.definition) return configIssues(node, node.definition);
    return node.type === undefined ? [] : [unknownType(graph, node, node.type)];
  });
}

function unknownType({ catalog }: Sketch, node: SketchNode, type: string): GraphIssue {
  const newest = catalog.find(type);
  const types = [...new Set(catalog.definitions.map((definition) => definition.type))];
  const message = newest
    ? `Node type "${type}" has no version ${node.typeVersion}.`
    : `There is no node type "${type.slice(0, 80)}".`;
  const hint = newest ? `Use version ${newest.version}.` : suggest(type, types, 'node types');
  return {
    ...nodeError('NODE_TYPE_UNKNOWN', node.id, message, hint),
    path: pointer('nodes', node.id, newest ? 'typeVersion' : 'type'),
  };
}

function configIssues(node: SketchNode, definition: NodeDefinition): GraphIssue[] {
  const parsed = definition.params.safeParse(node.config);
  if (parsed.success) return [];
  const known = Object.keys(definition.params.shape);
  return parsed.error.issues.map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    const hint =
      unknown === undefined
        ? describeField(definition, issue.path[0])
        : suggest(unknown, known, `fields of ${definition.type}`);
    const message = `${definition.type}: ${issue.message}.`.replace(/\.\.$/, '.');
    return {
      ...nodeError('CONFIG_INVALID', node.id, message, hint),
      path: pointer('nodes', node.id, 'config', ...issue.path),
    };
  });
}

function describeField(definition: NodeDefinition, field: PropertyKey | undefined): string {
  const shape = definition.params.shape as Record<string, { readonly description?: string } | undefined>;
  const description = typeof field === 'string' ? shape[field]?.description : undefined;
  const example = `An example of a config: ${JSON.stringify(definition.example)}.`;
  return description === undefined ? example : `${String(field)}: ${description}. ${example}`;
}
