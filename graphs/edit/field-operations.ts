import type { z } from 'zod';
import {
  Channel,
  ChannelName,
  Edge,
  GraphNode,
  graphLimits,
  NodeId,
  StoredGraph,
} from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { suggest } from '#graphs/check/nearest.ts';
import { EditError } from '#graphs/edit/edit-error.ts';

type Op<Name extends Operation['op']> = Extract<Operation, { op: Name }>;
type Json = Record<string, unknown> | unknown[];

/** Sets the value at a JSON Pointer (RFC 6901), or removes it if `value` is undefined. The parent must exist. */
export function setField(graph: StoredGraph, { path, value }: Op<'set_field'>): void {
  const tokens = tokensOf(path);
  const { holder, last } = holderOf(graph, tokens);
  if (Array.isArray(holder)) setItem(holder, last, value);
  else if (value !== undefined) holder[last] = value;
  else {
    if (!Object.hasOwn(holder, last)) throw missing(last, holder);
    delete holder[last];
  }
  settle(graph, tokens);
}

function setItem(items: unknown[], token: string, value: unknown): void {
  if (token === '-' && value !== undefined) return void items.push(value);
  const index = indexOf(items, token);
  if (value === undefined) items.splice(index, 1);
  else items[index] = value;
}

export function patchText(graph: StoredGraph, { path, find, replace }: Op<'patch_text'>): void {
  const tokens = tokensOf(path);
  const { holder, last } = holderOf(graph, tokens);
  const text = childOf(holder, last);
  if (typeof text !== 'string')
    throw new EditError('/path', `There is no text at ${path}. Use set_field for other values.`);
  const at = text.indexOf(find);
  if (at === -1)
    throw new EditError('/find', `The text at ${path} does not contain "find". The text starts with ${start(text)}`);
  if (text.includes(find, at + 1))
    throw new EditError(
      '/find',
      `The text at ${path} contains "find" more than once. Include more of the surrounding text.`,
    );
  const patched = text.slice(0, at) + replace + text.slice(at + find.length);
  if (Array.isArray(holder)) holder[indexOf(holder, last)] = patched;
  else holder[last] = patched;
  settle(graph, tokens);
}

function start(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
}

function tokensOf(path: string): string[] {
  const tokens = path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (tokens.includes('__proto__'))
    throw new EditError('/path', 'The name "__proto__" is not allowed. Use another name.');
  return tokens;
}

function holderOf(graph: StoredGraph, tokens: readonly string[]): { holder: Json; last: string } {
  let holder: Json = graph;
  for (const token of tokens.slice(0, -1)) {
    const child = childOf(holder, token);
    if (typeof child !== 'object' || child === null)
      throw new EditError('/path', `"${token.slice(0, 100)}" is not an object or list. Set it to an object first.`);
    holder = child as Json;
  }
  return { holder, last: tokens.at(-1) ?? '' };
}

function childOf(holder: Json, token: string): unknown {
  if (Array.isArray(holder)) return holder[indexOf(holder, token)];
  if (!Object.hasOwn(holder, token)) throw missing(token, holder);
  return holder[token];
}

function indexOf(items: readonly unknown[], token: string): number {
  const index = /^(0|[1-9]\d{0,6})$/.test(token) ? Number(token) : -1;
  if (index >= 0 && index < items.length) return index;
  throw new EditError(
    '/path',
    `The list has ${items.length} items, counted from 0. Use an index below ${items.length}, or "-" to append.`,
  );
}

function missing(token: string, holder: Record<string, unknown>): EditError {
  const hint = suggest(token, Object.keys(holder), 'fields here');
  return new EditError('/path', `There is no field "${token.slice(0, 100)}". ${hint}`);
}

/** Parses the changed part of the graph, which adds defaults. Parses no other part, since a graph can be large. */
function settle(graph: StoredGraph, tokens: readonly string[]): void {
  const [area = '', name] = tokens;
  if (name !== undefined && area === 'nodes') settleMember(graph.nodes, name, NodeId, GraphNode);
  else if (name !== undefined && area === 'state') settleMember(graph.state, name, ChannelName, Channel);
  else if (name !== undefined && area === 'edges' && tokens.length > 2) {
    const index = Number(name);
    graph.edges[index] = parsed(Edge, graph.edges[index]);
  } else settleArea(graph, area);
  if (Object.keys(graph.nodes).length > graphLimits.nodes || Object.keys(graph.state).length > graphLimits.channels)
    throw new EditError(
      '/path',
      `A graph can have at most ${graphLimits.nodes} nodes and ${graphLimits.channels} channels. Remove some first.`,
    );
}

function settleMember<Value>(
  members: Record<string, Value>,
  name: string,
  key: z.ZodType<string>,
  schema: z.ZodType<Value>,
): void {
  if (!Object.hasOwn(members, name)) return;
  parsed(key, name);
  members[name] = parsed(schema, members[name]);
}

function settleArea(graph: StoredGraph, area: string): void {
  const schema = Object.hasOwn(StoredGraph.shape, area) ? StoredGraph.shape[area as keyof StoredGraph] : undefined;
  const fields = graph as unknown as Record<string, unknown>;
  if (schema === undefined)
    throw new EditError(
      '/path',
      `"${area.slice(0, 100)}": ${suggest(area, Object.keys(StoredGraph.shape), 'fields of a graph')}`,
    );
  const value = parsed<unknown>(schema, fields[area]);
  if (value === undefined) delete fields[area];
  else fields[area] = value;
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new EditError(
    '/path',
    `The change would break the shape of the graph: ${where}${issue?.message ?? 'invalid value'}.`,
  );
}
