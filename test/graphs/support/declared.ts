import { expect } from 'vitest';
import { outputsOf, type NodeDefinition, type OutputFacts } from '#graphs/define.ts';
import { answerProblems } from '#graphs/models/read-answer.ts';

/** Fails if a node wrote a value that the schema of its type rules out. */
export function expectDeclared(
  definition: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
  update: Readonly<Record<string, unknown>>,
  facts?: OutputFacts,
): string[] {
  const schemas = outputsOf(definition, config, facts);
  const problems = Object.entries(update).flatMap(([channel, value]) => {
    // Channels hold JSON.
    const stored: unknown = JSON.parse(JSON.stringify(value ?? null));
    return answerProblems(schemas[channel] ?? {}, stored).map((problem) => `${definition.type} ${channel}: ${problem}`);
  });
  expect(problems).toEqual([]);
  return Object.keys(schemas);
}
