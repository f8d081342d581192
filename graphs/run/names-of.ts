import { configRefs } from '#graphs/expression/config.ts';
import { parseExpression } from '#graphs/expression/expression.ts';
import { templateSteps } from '#graphs/expression/template.ts';
import { Turns } from '#graphs/compute/turns.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { NodeDefinition } from '#graphs/define.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** Root identifiers of the expressions and templates of a graph. */
export interface NamesOf {
  expression(source: string): readonly string[];
  template(text: string): readonly string[];
}

/** Expressions and templates in the config of a node. */
export function writtenIn(
  definition: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
): { readonly expressions: readonly string[]; readonly templates: readonly string[] } {
  const refs = configRefs(config).expressions.map(({ source }) => source);
  const texts = (fields: readonly string[] = []) => fields.flatMap((field) => textsOf(config[field]));
  return { expressions: [...refs, ...texts(definition.expressions)], templates: texts(definition.templates) };
}

/**
 * Parses everything that the author of a graph wrote, and lets the event loop take its turn in between: the largest graph takes seconds.
 * Throws `workflow.invalid`.
 */
export async function readNames(graph: StoredGraph, catalog: Catalog, turns = new Turns()): Promise<NamesOf> {
  const expressions = new Map<string, readonly string[]>();
  const templates = new Map<string, readonly string[]>();
  const step = async <Value>(work: () => Value): Promise<Value> => {
    const done = await turns.run(work);
    if ('error' in done) throw done.error;
    return done.value;
  };
  const ofEdges = graph.edges.flatMap((edge) => {
    if ('when' in edge) return edge.when.map((route) => route.if);
    return 'map' in edge ? [edge.map.over] : [];
  });
  const ofNodes = Object.values(graph.nodes).flatMap(({ type, typeVersion, config }) => {
    const definition = catalog.find(type, typeVersion);
    return definition === undefined ? [] : [writtenIn(definition, config)];
  });
  for (const source of new Set([...ofEdges, ...ofNodes.flatMap((written) => written.expressions)]))
    expressions.set(source, await step(() => parseExpression(source).names));
  for (const text of new Set(ofNodes.flatMap((written) => written.templates))) {
    const steps = templateSteps(text);
    let here = await step(() => steps.next());
    while (here.done !== true) here = await step(() => steps.next());
    templates.set(text, here.value.names);
  }
  return {
    expression: (source) => expressions.get(source) ?? [],
    template: (text) => templates.get(text) ?? [],
  };
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter((one) => typeof one === 'string');
}
