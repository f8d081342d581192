import { z } from 'zod';
import { suggest } from '#graphs/check/nearest.ts';
import { describeFunctions } from '#graphs/expression/functions.ts';
import { outputsOf, type NodeDefinition } from '#graphs/define.ts';
import { NodeTypes, NodeTypesQuery } from '#src/contracts/resources/workflow.ts';
import { AppError } from '#src/domain/app-error.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

export const describeNodeTypes = defineTool({
  name: 'describe_node_types',
  description: 'The node types of graphs. Name the types that you configure: it adds their config.',
  scope: 'workflows:read',
  effect: 'read',
  idempotent: true,
  input: NodeTypesQuery,
  output: NodeTypes,
  async run({ deps }: ToolContext<'catalog'>, { types, detail }) {
    const { definitions } = deps.catalog;
    const names = [...new Set(definitions.map(({ type }) => type))];
    const wanted = (types ?? names).map((type) => deps.catalog.find(type) ?? unknownType(type, names));
    const isFull = (detail ?? (types === undefined ? 'summary' : 'full')) === 'full';
    const nodeTypes = wanted.map((definition) => describe(definition, isFull));
    return isFull ? { nodeTypes, expressions } : { nodeTypes };
  },
});

const expressions = {
  language: 'CEL (https://cel.dev) over the channels by name; a channel without a value is null',
  functions: describeFunctions().map(({ signature, summary }) => `${signature} - ${summary}`),
};

function describe(definition: NodeDefinition, full: boolean) {
  const { type, version, summary, reads, writes, params, example } = definition;
  const brief = { type, version, summary, reads: [...reads], writes: [...writes] };
  if (!full) return brief;
  const { $schema: _, ...config } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
  return { ...brief, config, outputs: outputsOf(definition, example), example };
}

function unknownType(type: string, names: readonly string[]): never {
  const message = `There is no node type "${type.slice(0, 64)}". ${suggest(type, names, 'node types')}`;
  throw new AppError('request.invalid', message, { errors: [{ pointer: '/types', code: 'not_found', message }] });
}
