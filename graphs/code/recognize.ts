import { z } from 'zod';
import { ChannelName, NodeId } from '#src/contracts/resources/graph.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import type { NodeDefinition } from '#graphs/define.ts';
import type { CodeEvaluator } from '#graphs/evaluators/define-evaluator.ts';

const hasMembers = (value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && names.every((name) => name in value);

/** True for a result of `defineWorkflow`. */
export const isWorkflow = (value: unknown): value is CodeWorkflow => hasMembers(value, ['id', 'graph', 'graphHash']);

/** True for a result of `defineNode`. Its members can be wrong: see `definitionProblem`. */
export const isNode = (value: unknown): value is NodeDefinition => hasMembers(value, ['type', 'params', 'run']);

/** True for a result of `defineEvaluator`. */
export const isEvaluator = (value: unknown): value is CodeEvaluator => hasMembers(value, ['name', 'better', 'score']);

const channels = z.array(ChannelName);
const Definition = z.looseObject({
  type: NodeId,
  version: z.int().min(1).max(1_000),
  summary: z.string().min(1).max(300),
  params: z.custom((value) => value instanceof z.ZodObject, 'must be a zod object'),
  reads: channels,
  readsIfPresent: channels.optional(),
  writes: channels,
  pure: z.union([z.boolean(), z.custom((value) => typeof value === 'function')]),
  defaultTimeoutMs: z.int().min(1).max(86_400_000),
  run: z.custom((value) => typeof value === 'function', 'must be a function'),
});

/** First member of a node definition that is wrong, as a sentence; null if there is none. Code in JavaScript has no types to find it. */
export function definitionProblem(definition: NodeDefinition): string | null {
  const { error } = Definition.safeParse(definition);
  if (error !== undefined) {
    const [issue] = error.issues;
    return `"${issue?.path.join('.') ?? ''}" of the node is wrong: ${issue?.message ?? ''}.`;
  }
  const example = definition.params.safeParse(definition.example);
  if (example.success) return null;
  const [issue] = example.error.issues;
  return `"example" of the node does not match "params": ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`;
}
