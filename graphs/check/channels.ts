import { errorAt, fixedBy, nodeError, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { writersBefore, writtenBefore } from '#graphs/check/reads.ts';
import { conflictOver, reducerFor } from '#graphs/check/reducer-conflict.ts';
import { emptyValues, fits } from '#graphs/engine/reducers.ts';
import { outputsOf } from '#graphs/define.ts';
import { insideOf, type JsonSchema } from '#graphs/typing/json-schema.ts';
import { itemsOf, type GraphOutline } from '#graphs/check/outline.ts';
import { ChannelName, graphLimits, type Reducer } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';

/** CHANNEL_UNKNOWN: a node or an output uses a channel that `state` does not declare. CONFIG_INVALID: a default does not fit its reducer. */
export function checkChannels(graph: GraphOutline): GraphIssue[] {
  return [...ofNodes(graph), ...ofOutputs(graph), ...ofErrorRoutes(graph), ...ofDefaults(graph)];
}

function ofNodes(graph: GraphOutline): GraphIssue[] {
  const declarations = new Map<string, Operation>();
  return [...graph.nodes.values()].flatMap((node) => {
    const items = itemsOf(graph, node.id);
    const used = new Set([...node.io.reads.filter((name) => !items.includes(name)), ...node.io.writes]);
    return [...used]
      .filter((name) => !graph.channels.has(name))
      .map((name) => {
        const message = `Node type "${node.type}" uses the channel "${name}", which "state" does not declare.`;
        if (graph.nodes.has(name)) {
          const rename = `Rename the node "${name}": a node and a channel cannot have the same name. Then add "${name}" to "state".`;
          return nodeError('CHANNEL_UNKNOWN', node.id, message, rename);
        }
        const issue = nodeError('CHANNEL_UNKNOWN', node.id, message, `Add "${name}" to "state".`);
        const declaration = declarations.get(name) ?? declare(graph, name);
        declarations.set(name, declaration);
        return fixedBy(issue, declaration);
      });
  });
}

/** Declares a channel: with a merging reducer if parallel nodes write it, and with the default null if a node reads it before any write. */
export function declare(graph: GraphOutline, name: string): Operation {
  const written = schemaOfChannel(graph, name);
  const conflict = conflictOver(graph, name);
  const isMapped = conflict !== undefined && conflict[0] === conflict[1];
  const reducer: Reducer =
    conflict === undefined ? 'replace' : isMapped ? 'append' : reducerFor({ schema: written, default: undefined });
  const isList = reducer === 'append' && written['type'] !== 'array' && Object.keys(written).length > 0;
  const schema = isList ? insideOf(written, (items) => ({ type: 'array', items })) : { ...written };
  const readers = [...graph.nodes.values()].filter(({ id, io }) => io.reads.includes(name) && graph.reached.has(id));
  const isLate =
    emptyValues[reducer] === undefined &&
    readers.some(({ id }) => writtenBefore(graph, id, name, writersBefore(graph, id)) !== 'surely');
  return { op: 'set_state_field', name, channel: { schema, reducer, ...(isLate && { default: null }) } };
}

/** Schema of what the nodes write to a channel; without a writer, of what a node type always writes to a channel of this name. */
function schemaOfChannel({ nodes, types, catalog }: GraphOutline, name: string): JsonSchema {
  const writers = [...nodes.values()].filter(({ io }) => io.writes.includes(name));
  const schemas = writers.map((node) => types.writtenBy(node)[name] ?? {});
  const [first, ...others] = schemas;
  if (first !== undefined) return others.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : {};
  const usual = catalog.definitions.find(({ writes }) => writes.includes(name));
  return usual === undefined ? {} : (outputsOf(usual, {})[name] ?? {});
}

/**
 * Declares the channels that nodes write and `state` leaves out, as far as there is room for them. Editors apply these operations, so that
 * an author need not declare channels. Source: docs/decisions/0169.
 */
export function declarationsOf(graph: GraphOutline): Operation[] {
  const written = new Set([...graph.nodes.values()].flatMap(({ io }) => io.writes));
  return [...written]
    .filter((name) => !graph.channels.has(name) && !graph.nodes.has(name) && !(name in Object.prototype))
    .filter((name) => ChannelName.safeParse(name).success)
    .slice(0, Math.max(0, graphLimits.channels - graph.channels.size))
    .map((name) => declare(graph, name));
}

function ofOutputs(graph: GraphOutline): GraphIssue[] {
  const declared = [...graph.channels.keys()];
  return [...graph.outputs]
    .filter(([, name]) => !graph.channels.has(name))
    .map(([output, name]) => {
      const path = pointer('outputs', output);
      const message = `Output "${output}" uses the channel "${name}", which "state" does not declare.`;
      const issue = errorAt('CHANNEL_UNKNOWN', path, message, suggest(name, declared, 'channels'));
      const [near] = nearest(name, declared);
      return fixedBy(issue, near === undefined ? setField(path) : setField(path, near));
    });
}

function ofErrorRoutes(graph: GraphOutline): GraphIssue[] {
  const declared = [...graph.channels.keys()];
  return [...graph.nodes.values()].flatMap(({ id, route }) =>
    (route?.set ?? [])
      .filter((name) => !graph.channels.has(name))
      .map((name) => {
        const path = pointer('nodes', id, 'onError', 'set', name);
        const message = `"onError" of node "${id}" sets the channel "${name}", which "state" does not declare.`;
        const issue = errorAt('ERROR_ROUTE_INVALID', path, message, suggest(name, declared, 'channels'));
        return fixedBy({ ...issue, nodeId: id }, setField(path));
      }),
  );
}

function ofDefaults(graph: GraphOutline): GraphIssue[] {
  return [...graph.channels.values()]
    .filter((channel) => channel.default !== undefined && !fits(channel.reducer, channel.default))
    .map(({ name, reducer }) => {
      const path = pointer('state', name, 'default');
      const example = emptyValues[reducer] ?? 0;
      const hint = `Use a value such as ${JSON.stringify(example)}.`;
      const issue = errorAt(
        'CONFIG_INVALID',
        path,
        `The default of "${name}" does not fit its reducer "${reducer}".`,
        hint,
      );
      return fixedBy(issue, setField(path, example));
    });
}
