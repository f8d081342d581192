import { outputsOf, type OutputFacts } from '#graphs/define.ts';
import { emptyValues } from '#graphs/engine/reducers.ts';
import { parseExpression, type Expression } from '#graphs/expression/expression.ts';
import type { TypeScope } from '#graphs/expression/infer.ts';
import {
  outlineOf,
  type CheckContext,
  type GraphOutline,
  type GraphTypes,
  type OutlineChannel,
  type OutlineNode,
  type UntypedOutline,
} from '#graphs/check/outline.ts';
import type { Catalog } from '#graphs/catalog.ts';
import { schemaOfType, typeOfSchema, typeOfValue, type JsonSchema } from '#graphs/typing/json-schema.ts';
import {
  anyType,
  itemsOfType,
  listOf,
  membersOf,
  mergedOf,
  numberType,
  refined,
  unionOf,
  type ValueType,
} from '#graphs/typing/value-type.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Expressions to parse for types, as many as a graph may have. */
const mostExpressions = 3_000;
/** Levels of workflows in workflows to look into. */
const deepestWorkflow = 3;

/** The readable parts of a graph with the types of its channels. */
export function typedOutlineOf(
  raw: Readonly<Record<string, unknown>>,
  catalog: Catalog,
  context: CheckContext,
): GraphOutline {
  const outline = outlineOf(raw, catalog, context);
  return { ...outline, types: createGraphTypes(outline) };
}

function createGraphTypes(graph: UntypedOutline, depth = 0): GraphTypes {
  let left = mostExpressions;
  const written = new Map<string, Readonly<Record<string, JsonSchema>>>();
  const channels = new Map<string, ValueType>();

  // Keeps types only: parsed expressions are large.
  const typeOf = (source: string, scope: TypeScope): ValueType => {
    const expression = (left -= 1) < 0 ? null : parsedOf(source);
    return expression?.infer(scope).type ?? anyType;
  };

  const writtenBy = (node: OutlineNode): Readonly<Record<string, JsonSchema>> => {
    const known = written.get(node.id);
    if (known !== undefined) return known;
    // A node whose own channels are asked for meanwhile writes anything.
    written.set(node.id, {});
    const schemas = node.definition === undefined ? {} : outputsOf(node.definition, node.config, factsOf(node));
    written.set(node.id, schemas);
    return schemas;
  };
  const factsOf = ({ id }: OutlineNode): OutputFacts => ({
    expression: (source) => schemaOfType(typeOf(source, scopeOf(id))),
    workflow: (workflowId, version) => outputsOfWorkflow(workflowId, version),
    recordType: (name) => graph.context.recordTypes?.(name) ?? null,
  });
  const outputsOfWorkflow = (workflowId: string, version: number): Readonly<Record<string, JsonSchema>> | null => {
    const nested = depth >= deepestWorkflow ? null : (graph.context.subgraphs?.(workflowId, version) ?? null);
    if (nested === null) return null;
    const outline = outlineOf({ ...nested }, graph.catalog, graph.context);
    const scope = createGraphTypes(outline, depth + 1).scopeOf();
    return Object.fromEntries(
      [...outline.outputs].map(([output, channel]) => [output, schemaOfType(scope(channel) ?? anyType)]),
    );
  };

  const channelType = (channel: OutlineChannel, isSure: boolean): ValueType => {
    const key = `${channel.name} ${isSure}`;
    const known = channels.get(key);
    if (known !== undefined) return known;
    channels.set(key, anyType);
    const writes = [...graph.nodes.values()].flatMap((node) => writesOf(node, channel.name));
    const said = isSure ? anyType : typeOfSchema(channel.schema);
    // A channel that no node writes comes from the initial state, which can be anything that the author says.
    const type = writes.length === 0 ? said : refined(heldBy(channel, writes), said);
    channels.set(key, type);
    return type;
  };
  const writesOf = (node: OutlineNode, name: string): ValueType[] => {
    const own = node.io.writes.includes(name) ? [typeOfSchema(writtenBy(node)[name])] : [];
    return [...own, ...(node.route?.set.includes(name) === true ? [typeOfValue(node.route.values[name])] : [])];
  };

  const items = new Map<string, ValueType>();
  const itemType = (nodeId: string | undefined, name: string): ValueType | undefined => {
    const map = graph.maps.find(({ to, as }) => to === nodeId && as === name);
    if (map === undefined) return undefined;
    const known = items.get(map.over) ?? itemsOfType(typeOf(map.over, scopeOf())) ?? anyType;
    items.set(map.over, known);
    return known;
  };
  const scopeOf =
    (nodeId?: string): TypeScope =>
    (name) => {
      const item = itemType(nodeId, name);
      if (item !== undefined) return item;
      const channel = graph.channels.get(name) ?? impliedChannel(graph, name);
      return channel === undefined ? undefined : channelType(channel, false);
    };
  const sureScope: TypeScope = (name) => {
    const channel = graph.channels.get(name);
    return channel === undefined ? undefined : channelType(channel, true);
  };
  return { scopeOf, sureScope, typeOf, writtenBy };
}

/** A channel that one node writes and `state` leaves out, which an edit is about to declare. */
function impliedChannel({ nodes, maps }: UntypedOutline, name: string): OutlineChannel | undefined {
  const [writer, ...others] = [...nodes.values()].filter(({ io }) => io.writes.includes(name));
  if (writer === undefined || others.length > 0 || maps.some(({ to }) => to === writer.id)) return undefined;
  return { name, reducer: 'replace', default: undefined, schema: {} };
}

function parsedOf(source: string): Expression | null {
  try {
    return parseExpression(source);
  } catch (error) {
    // Not an expression: another rule reports it.
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Type of a channel from what is written to it, and its default. */
function heldBy({ reducer, default: first }: OutlineChannel, writes: readonly ValueType[]): ValueType {
  const start = first ?? emptyValues[reducer];
  const before = start === undefined ? [] : [widened(typeOfValue(start))];
  switch (reducer) {
    case 'sum':
    case 'max':
      return numberType;
    case 'append':
    case 'unionById':
      return listOf(unionOf([...writes.flatMap(itemsOrSelf), ...before.flatMap((one) => itemsOfFilled(one, first))]));
    case 'merge':
      return mergedOf([...writes, ...(first === undefined ? [] : before)]);
    default:
      return unionOf([...writes, ...before, ...(first === null ? [{ is: 'null' } as const] : [])]);
  }
}

function itemsOrSelf(type: ValueType): ValueType[] {
  return membersOf(type).map((one) => (one.is === 'list' ? one.items : one));
}

/** Nothing for a list that starts empty. */
function itemsOfFilled(type: ValueType, first: unknown): ValueType[] {
  return !Array.isArray(first) || first.length === 0 ? [] : itemsOrSelf(type);
}

/** Type of an initial value without its exact text and fields, since the initial state of a run can replace it. */
function widened(type: ValueType): ValueType {
  if (type.is === 'string') return { is: 'string' };
  return type.is === 'object' ? { ...type, rest: anyType } : type;
}
