import { ChannelName } from '#src/contracts/resources/graph.ts';
import { AppError } from '#src/domain/app-error.ts';
import { declare } from '#graphs/check/channels.ts';
import { errorAt, fixedBy, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { correctedExpression } from '#graphs/check/fix/expression.ts';
import { fieldIssues } from '#graphs/typing/field-issues.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { fields, itemsOf, list, members, type GraphOutline, type OutlineNode } from '#graphs/check/outline.ts';
import { configRefs } from '#graphs/expression/config.ts';
import { parseExpression } from '#graphs/expression/expression.ts';
import { parseTemplate } from '#graphs/expression/template.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';

/** An expression or a template in the graph, with the map items that it can use besides the channels. */
interface Site {
  readonly path: string;
  readonly text: string;
  readonly nodeId?: string;
  readonly items?: readonly string[];
  /** The value must be a list. */
  readonly isList?: boolean;
  /** Node before the edge that the expression stands in. */
  readonly from?: string;
  /** False for the conditions of a router after its first. */
  readonly isFirst?: boolean;
}

/**
 * EXPRESSION_INVALID: the text does not parse, or uses an unknown channel. TEMPLATE_LITERAL: a placeholder stays literal text because
 * it does not parse, or is always empty because its channel does not exist.
 */
export function checkExpressions(graph: GraphOutline): GraphIssue[] {
  const ofEdges = list(graph.raw['edges']).flatMap((edge, at): Site[] => {
    const { when, map, from: before } = fields(edge);
    const from = typeof before === 'string' ? { from: before } : {};
    const routes = list(when).flatMap((route, index) =>
      siteOf(fields(route)['if'], 'edges', at, 'when', index, 'if').map((site) => ({ ...site, isFirst: index === 0 })),
    );
    const over = siteOf(fields(map)['over'], 'edges', at, 'map', 'over');
    return [...routes, ...over.map((site) => ({ ...site, isList: true }))].map((site) => ({ ...site, ...from }));
  });
  const expressions = [...ofEdges, ...[...graph.nodes.values()].flatMap((node) => expressionsOf(graph, node))];
  const templates = [...graph.nodes.values()].flatMap((node) => templatesOf(graph, node));
  const count = expressions.length + templates.reduce((sum, { text }) => sum + text.split('{{').length - 1, 0);
  if (count > maxExpressions) {
    const message = `The graph has ${count} expressions and placeholders; at most ${maxExpressions} are allowed.`;
    return [errorAt('LIMIT_EXCEEDED', '', message, 'Remove some, or split the graph into several workflows.')];
  }
  const channels = [...graph.channels.keys()];
  const declarations = new Map<string, Operation>();
  return [
    ...expressions.flatMap((site) => expressionIssues({ graph, channels, declarations }, site)),
    ...templates.flatMap((site) => templateIssues(graph, site, channels)),
  ];
}

/** Bounds the work of a check and of a compilation, which parse every expression. */
const maxExpressions = 3_000;

function siteOf(text: unknown, ...path: readonly PropertyKey[]): Site[] {
  return typeof text === 'string' ? [{ text, path: pointer(...path) }] : [];
}

function expressionsOf(graph: GraphOutline, node: OutlineNode): Site[] {
  const refs = configRefs(node.config).expressions.flatMap(({ path, source }) =>
    siteOf(source, 'nodes', node.id, 'config', ...path, '$expr'),
  );
  const named = (node.definition?.expressions ?? []).flatMap((field) => textsOf(node, field));
  return [...refs, ...named].map((site) => ({ ...site, nodeId: node.id, items: itemsOf(graph, node.id) }));
}

function templatesOf(graph: GraphOutline, node: OutlineNode): Site[] {
  const named = (node.definition?.templates ?? []).flatMap((field) => textsOf(node, field));
  return named.map((site) => ({ ...site, nodeId: node.id, items: itemsOf(graph, node.id) }));
}

/** Texts of a field that is a text or an object of texts. References are expressions of their own. */
function textsOf(node: OutlineNode, field: string): Site[] {
  const value = node.config[field];
  if (typeof value === 'string') return siteOf(value, 'nodes', node.id, 'config', field);
  return members(value)
    .filter(([name]) => name !== '$expr' && name !== '$secret')
    .flatMap(([name, text]) => siteOf(text, 'nodes', node.id, 'config', field, name));
}

interface Around {
  readonly graph: GraphOutline;
  readonly channels: readonly string[];
  /** Operation that declares each missing channel, shared by all expressions that use it. */
  readonly declarations: Map<string, Operation>;
}

function expressionIssues({ graph, channels, declarations }: Around, site: Site): GraphIssue[] {
  const expression = understood(() => parseExpression(site.text));
  if (typeof expression === 'string') return [noExpression(site, expression, channels)];
  const unknown = unknownNames(site, expression.names, channels);
  // Names first: a corrected expression is checked again.
  if (unknown.length === 0) return fieldIssues(graph, site, expression);
  return unknown.map((name) => {
    const issue = nameIssue(site, name, channels);
    const isNew = issue.fix === undefined && nearest(name, knownTo(site, channels)).length === 0;
    if (!isNew || !canDeclare(graph, site, name)) return issue;
    const declaration = declarations.get(name) ?? declare(graph, name);
    declarations.set(name, declaration);
    return fixedBy(issue, declaration);
  });
}

function noExpression(site: Site, message: string, channels: readonly string[]): GraphIssue {
  const corrected = correctedExpression(site.text, knownTo(site, channels));
  const way =
    corrected === undefined
      ? 'Correct the expression. Expressions are CEL, see https://cel.dev.'
      : `Did you mean ${corrected}?`;
  const issue = { ...errorAt('EXPRESSION_INVALID', site.path, message, way), ...ofNode(site) };
  return fixedBy(issue, ...(corrected === undefined ? [] : [setField(site.path, corrected)]));
}

/** Offers to declare a name that resembles no other: its channel is missing. A node must write the list of a map, so maps get no offer. */
function canDeclare(graph: GraphOutline, { isList }: Site, name: string): boolean {
  return (
    isList !== true && !graph.nodes.has(name) && !(name in Object.prototype) && ChannelName.safeParse(name).success
  );
}

function templateIssues(graph: GraphOutline, site: Site, channels: readonly string[]): GraphIssue[] {
  const template = understood(() => parseTemplate(site.text));
  if (typeof template === 'string')
    return [{ ...errorAt('EXPRESSION_INVALID', site.path, template, 'Shorten the text.'), ...ofNode(site) }];
  const literal = (message: string, hint: string): GraphIssue => ({
    ...warning(errorAt('TEMPLATE_LITERAL', site.path, message, hint)),
    ...ofNode(site),
  });
  const literals = template.literals.slice(0, 10).map((text) => {
    const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
    return literal(
      `${shown} is not a valid expression and stays as literal text.`,
      'Correct it if a value should replace it.',
    );
  });
  const unknown = unknownNames(site, template.names, channels).map((name) => {
    const known = knownTo(site, channels);
    if (nearest(name, known).length > 0) return nameIssue(site, name, channels);
    return literal(
      `There is no channel "${name}", so its placeholder is always empty.`,
      suggest(name, known, 'channels'),
    );
  });
  const ofFields = unknown.length === 0 ? template.expressions.flatMap((one) => fieldIssues(graph, site, one)) : [];
  return [...literals, ...unknown, ...ofFields];
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
  const issue = errorAt(
    'EXPRESSION_INVALID',
    site.path,
    `There is no channel "${name}".`,
    suggest(name, known, 'channels'),
  );
  const [near] = nearest(name, known);
  const corrected = near === undefined ? undefined : renamed(site.text, name, near);
  return { ...fixedBy(issue, ...(corrected === undefined ? [] : [setField(site.path, corrected)])), ...ofNode(site) };
}

/** Replaces a name in an expression; undefined if the word also occurs as something else, such as a field. */
function renamed(text: string, name: string, by: string): string | undefined {
  const word = new RegExp(String.raw`(?<![\w.'"])${name}(?![\w'"]|\s*\()`, 'g');
  const corrected = text.replace(word, () => by);
  const names = understood(() => [
    ...parseTemplate(corrected).names,
    ...(text.includes('{{') ? [] : parseExpression(corrected).names),
  ]);
  return typeof names === 'string' || names.includes(name) || corrected === text ? undefined : corrected;
}

function ofNode({ nodeId }: Site): Pick<GraphIssue, 'nodeId'> {
  return nodeId === undefined ? {} : { nodeId };
}

/** The parsed value, or the reason why the text does not parse. */
function understood<Value>(parse: () => Value): Value | string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return error.detail;
    throw error;
  }
}
