import { errorAt, fixedBy, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { fields, list, type GraphOutline, type OutlineNode } from '#graphs/check/outline.ts';
import { writtenIn } from '#graphs/run/names-of.ts';

const word = /[A-Za-z_][A-Za-z0-9_]*/g;

/** Words of all expressions and templates: a channel that is none of them is read by none. */
function wordsOf(graph: GraphOutline): ReadonlySet<string> {
  const ofNodes = [...graph.nodes.values()].flatMap(({ definition, config }) => {
    if (definition === undefined) return [];
    const { expressions, templates } = writtenIn(definition, config);
    return [...expressions, ...templates];
  });
  const ofEdges = list(graph.raw['edges']).flatMap((edge) => {
    const { when, map } = fields(edge);
    return [...list(when).map((route) => fields(route)['if']), fields(map)['over']];
  });
  const texts = [...ofNodes, ...ofEdges].filter((text): text is string => typeof text === 'string');
  return new Set(texts.flatMap((text) => text.match(word) ?? []));
}

/** A node whose work lasts beside the channel that it writes: a request, a record, an answer, a workflow of its own. */
function lasts({ type, config }: OutlineNode): boolean {
  const { method = 'GET', recordType } = config;
  if (type === 'http') return method !== 'GET';
  return type === 'review' || type === 'workflow' || (type === 'extract' && recordType !== undefined);
}

/**
 * OUTPUT_UNUSED: a node writes a channel that its config names, which no node, condition or output reads, so the work is lost. Channels that a
 * node type always writes stand for stored results and do not count. Source: docs/decisions/0167.
 */
export function checkUnusedOutputs(graph: GraphOutline): GraphIssue[] {
  const all = [...graph.nodes.values()];
  const read = new Set([
    ...graph.outputs.values(),
    ...all.flatMap(({ io }) => [...io.reads, ...io.readsIfPresent]),
    ...wordsOf(graph),
  ]);
  const unused = new Map<string, OutlineNode>();
  for (const node of all) {
    if (node.definition === undefined || lasts(node) || !graph.reached.has(node.id)) continue;
    const { writes } = node.definition;
    for (const name of node.io.writes)
      if (!read.has(name) && !writes.includes(name) && !unused.has(name)) unused.set(name, node);
  }
  return [...unused].map(([name, { id }]) => {
    const message = `Node "${id}" writes "${name}", which no node and no output reads.`;
    const hint = `Add it to "outputs", or remove what writes it.`;
    const issue = warning({ ...errorAt('OUTPUT_UNUSED', pointer('state', name), message, hint), nodeId: id });
    // An output needs a channel that is declared.
    return graph.channels.has(name) ? fixedBy(issue, setField(pointer('outputs', name), name)) : issue;
  });
}
