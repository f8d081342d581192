import { ChannelName } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import { declare } from '#graphs/check/channels.ts';
import { errorAt, fixedBy, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { mendedExpression } from '#graphs/check/mend/expression.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { fields, itemsOf, list, members, type Sketch, type SketchNode } from '#graphs/check/sketch.ts';
import { configRefs } from '#graphs/expression/config.ts';
import { parseExpression } from '#graphs/expression/expression.ts';
import { parseTemplate } from '#graphs/expression/template.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';

/** A text in the graph that is an expression or a template, and the item of a map that it knows besides the channels. */
interface Site {
  readonly path: string;
  readonly text: string;
  readonly nodeId?: string;
  readonly items?: readonly string[];
  /** Its value has to be a list. */
  readonly isList?: boolean;
}

/**
 * EXPRESSION_INVALID: no expression, or one with a name that is no channel. TEMPLATE_LITERAL: a placeholder that stays as it is
 * written, or that is always empty because no channel has a name like it.
 */
export function checkExpressions(graph: Sketch): GraphIssue[] {
  const ofEdges = list(graph.raw['edges']).flatMap((edge, at): Site[] => {
    const { when, map } = fields(edge);
    const routes = list(when).map((route, index) => siteOf(fields(route)['if'], 'edges', at, 'when', index, 'if'));
    const over = siteOf(fields(map)['over'], 'edges', at, 'map', 'over');
    return [...routes.flat(), ...over.map((site) => ({ ...site, isList: true }))];
  });
  const expressions = [...ofEdges, ...[...graph.nodes.values()].flatMap((node) => expressionsOf(graph, node))];
  const templates = [...graph.nodes.values()].flatMap((node) => templatesOf(graph, node));
  const count = expressions.length + templates.reduce((sum, { text }) => sum + text.split('{{').length - 1, 0);
  if (count > maxExpressions) {
    const message = `The graph has ${count} expressions and placeholders; ${maxExpressions} are allowed.`;
    return [errorAt('LIMIT_EXCEEDED', '', message, 'Make it smaller, or split it into several workflows.')];
  }
  const channels = [...graph.channels.keys()];
  const declarations = new Map<string, Operation>();
  return [
    ...expressions.flatMap((site) => expressionIssues({ graph, channels, declarations }, site)),
    ...templates.flatMap((site) => templateIssues(site, channels)),
  ];
}

/** Each is parsed at every check and compilation. */
const maxExpressions = 3_000;

function siteOf(text: unknown, ...path: readonly PropertyKey[]): Site[] {
  return typeof text === 'string' ? [{ text, path: pointer(...path) }] : [];
}

function expressionsOf(graph: Sketch, node: SketchNode): Site[] {
  const refs = configRefs(node.config).expressions.flatMap(({ path, source }) =>
    siteOf(source, 'nodes', node.id, 'config', ...path, '$expr'),
  );
  const named = (node.definition?.expressions ?? []).flatMap((field) => textsOf(node, field));
  return [...refs, ...named].map((site) => ({ ...site, nodeId: node.id, items: itemsOf(graph, node.id) }));
}

function templatesOf(graph: Sketch, node: SketchNode): Site[] {
  const named = (node.definition?.templates ?? []).flatMap((field) => textsOf(node, field));
  return named.map((site) => ({ ...site, nodeId: node.id, items: itemsOf(graph, node.id) }));
}

/** A field that is a text, or holds texts by name; a reference has its own place. */
function textsOf(node: SketchNode, field: string): Site[] {
  const value = node.config[field];
  if (typeof value === 'string') return siteOf(value, 'nodes', node.id, 'config', field);
  return members(value)
    .filter(([name]) => name !== '$expr' && name !== '$secret')
    .flatMap(([name, text]) => siteOf(text, 'nodes', node.id, 'config', field, name));
}

interface Around {
  readonly graph: Sketch;
  readonly channels: readonly string[];
  /** Of names that are no channel yet: made once for all that say them. */
  readonly declarations: Map<string, Operation>;
}

function expressionIssues({ graph, channels, declarations }: Around, site: Site): GraphIssue[] {
  const names = understood(() => parseExpression(site.text).names);
  if (typeof names === 'string') return [noExpression(site, names, channels)];
  return unknownNames(site, names, channels).map((name) => {
    const issue = nameIssue(site, name, channels);
    const isNew = issue.fix === undefined && nearest(name, knownTo(site, channels)).length === 0;
    if (!isNew || !canDeclare(graph, site, name)) return issue;
    const declaration = declarations.get(name) ?? declare(graph, name);
    declarations.set(name, declaration);
    return fixedBy(issue, declaration);
  });
}

function noExpression(site: Site, message: string, channels: readonly string[]): GraphIssue {
  const mended = mendedExpression(site.text, knownTo(site, channels));
  const way =
    mended === undefined ? 'Correct it; expressions are CEL, see https://cel.dev.' : `Did you mean ${mended}?`;
  const issue = { ...errorAt('EXPRESSION_INVALID', site.path, message, way), ...ofNode(site) };
  return fixedBy(issue, ...(mended === undefined ? [] : [setField(site.path, mended)]));
}

/** A name that is like no other was forgotten, not misspelt. What a map goes over has to be made by some node. */
function canDeclare(graph: Sketch, { isList }: Site, name: string): boolean {
  return (
    isList !== true && !graph.nodes.has(name) && !(name in Object.prototype) && ChannelName.safeParse(name).success
  );
}

function templateIssues(site: Site, channels: readonly string[]): GraphIssue[] {
  const template = understood(() => parseTemplate(site.text));
  if (typeof template === 'string')
    return [{ ...errorAt('EXPRESSION_INVALID', site.path, template, 'Make it shorter.'), ...ofNode(site) }];
  const literal = (message: string, hint: string): GraphIssue => ({
    ...warning(errorAt('TEMPLATE_LITERAL', site.path, message, hint)),
    ...ofNode(site),
  });
  const literals = template.literals.slice(0, 10).map((text) => {
    const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
    return literal(`${shown} is no expression and stays as it is written.`, 'Correct it, if it should be filled in.');
  });
  const unknown = unknownNames(site, template.names, channels).map((name) => {
    const known = knownTo(site, channels);
    if (nearest(name, known).length > 0) return nameIssue(site, name, channels);
    return literal(`"${name}" is no channel, so its placeholder is always empty.`, suggest(name, known, 'channels'));
  });
  return [...literals, ...unknown];
}

function knownTo(site: Site, channels: readonly string[]): string[] {
  return [...channels, ...(site.items ?? [])];
}

function unknownNames(site: Site, names: readonly string[], channels: readonly string[]): string[] {
  const known = new Set(knownTo(site, channels));
  return names.filter((name) => !known.has(name));
}

function nameIssue(site: Site, name: string, channels: readonly string[]): GraphIssue {
  const known = knownTo(site, channels);
  const issue = errorAt('EXPRESSION_INVALID', site.path, `"${name}" is no channel.`, suggest(name, known, 'channels'));
  const [near] = nearest(name, known);
  const mended = near === undefined ? undefined : renamed(site.text, name, near);
  return { ...fixedBy(issue, ...(mended === undefined ? [] : [setField(site.path, mended)])), ...ofNode(site) };
}

/** Nothing where the word is also something else, such as a field: a text cannot tell them apart. */
function renamed(text: string, name: string, by: string): string | undefined {
  const word = new RegExp(String.raw`(?<![\w.'"])${name}(?![\w'"]|\s*\()`, 'g');
  const mended = text.replace(word, () => by);
  const names = understood(() => [
    ...parseTemplate(mended).names,
    ...(text.includes('{{') ? [] : parseExpression(mended).names),
  ]);
  return typeof names === 'string' || names.includes(name) || mended === text ? undefined : mended;
}

function ofNode({ nodeId }: Site): Pick<GraphIssue, 'nodeId'> {
  return nodeId === undefined ? {} : { nodeId };
}

/** What is parsed, or why it cannot be. */
function understood<Value>(parse: () => Value): Value | string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return error.detail;
    throw error;
  }
}
