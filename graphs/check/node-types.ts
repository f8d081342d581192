import { errorAt, fixedBy, nodeError, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { fixOfType } from '#graphs/check/fix/value-type.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { fixOfValue } from '#graphs/check/shape.ts';
import { configRefs } from '#graphs/expression/config.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { GraphOutline, OutlineNode } from '#graphs/check/outline.ts';
import { takesReference, type NodeDefinition } from '#graphs/define.ts';
import type { z } from 'zod';

/** NODE_TYPE_UNKNOWN and CONFIG_INVALID: checks each node against the catalog. */
export function checkNodeTypes(graph: GraphOutline): GraphIssue[] {
  return [...graph.nodes.values()].flatMap((node) => {
    if (node.definition) return [...configIssues(node, node.definition), ...misplacedRefs(node, node.definition)];
    return node.type === undefined ? [] : [unknownType(graph, node, node.type)];
  });
}

function unknownType({ catalog }: GraphOutline, node: OutlineNode, type: string): GraphIssue {
  const newest = catalog.find(type);
  const types = [...new Set(catalog.definitions.map((definition) => definition.type))];
  const message = newest
    ? `Node type "${type}" has no version ${node.typeVersion}.`
    : `There is no node type "${type.slice(0, 80)}".`;
  const hint = newest ? `Use version ${newest.version}.` : suggest(type, types, 'node types');
  const path = pointer('nodes', node.id, newest ? 'typeVersion' : 'type');
  const [near] = nearest(type, types);
  const value = newest ? newest.version : near;
  const issue = { ...nodeError('NODE_TYPE_UNKNOWN', node.id, message, hint), path };
  return fixedBy(issue, ...(value === undefined ? [] : [setField(path, value)]));
}

/** Skips issues at, inside or caused by a reference: its value is known only when the node runs. */
function configIssues(node: OutlineNode, definition: NodeDefinition): GraphIssue[] {
  const parsed = definition.params.safeParse(node.config);
  if (parsed.success) return [];
  const { expressions, secrets } = configRefs(node.config);
  const places = [...expressions, ...secrets].map(({ path }) => path);
  return parsed.error.issues.flatMap((issue) => {
    const isOfReference = places.some((place) => isWithin(place, issue.path) || isCausedBy(place, issue));
    return isOfReference ? [] : configIssue(node, definition, issue);
  });
}

/** Rejects `$expr` in fields for constant text, since the state can hold document text, and `$secret` in fields that are stored or shown. */
function misplacedRefs(node: OutlineNode, definition: NodeDefinition): GraphIssue[] {
  const { expressions, secrets } = configRefs(node.config);
  const issues = (kind: '$expr' | '$secret', found: readonly { readonly path: readonly PropertyKey[] }[]) =>
    found
      .filter(({ path }) => !takesReference(definition, kind, String(path[0])))
      .map(({ path }) => {
        const message = `${definition.type}: "${String(path[0])}" does not accept ${kind}.`;
        const hint = kind === '$expr' ? exprHint(definition, String(path[0])) : secretHint(definition);
        const at = pointer('nodes', node.id, 'config', ...path);
        return { ...errorAt('CONFIG_INVALID', at, message, hint), nodeId: node.id };
      });
  return [...issues('$expr', expressions), ...issues('$secret', secrets)];
}

const exprHint = ({ templates }: NodeDefinition, field: string): string =>
  templates?.includes(field) === true ? 'Write {{ <expression> }} in the text.' : 'Write a constant value.';

const secretHint = ({ secrets = [] }: NodeDefinition): string =>
  secrets.length === 0
    ? 'Secrets are accepted in the headers and body of http nodes only, since other fields are stored or shown.'
    : `Secrets are accepted in: ${secrets.join(', ')}.`;

function isWithin(place: readonly PropertyKey[], path: readonly PropertyKey[]): boolean {
  return place.every((part, at) => path[at] === part);
}

function isCausedBy(place: readonly PropertyKey[], issue: z.core.$ZodIssue): boolean {
  return issue.code !== 'unrecognized_keys' && isWithin(issue.path, place);
}

function configIssue(node: OutlineNode, definition: NodeDefinition, issue: z.core.$ZodIssue): GraphIssue[] {
  const known = Object.keys(definition.params.shape);
  const message = `${definition.type}: ${issue.message}.`.replace(/\.\.$/, '.');
  const path = pointer('nodes', node.id, 'config', ...issue.path);
  const at = (hint: string): GraphIssue => ({ ...errorAt('CONFIG_INVALID', path, message, hint), nodeId: node.id });
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const fix = issue.path.length === 0 ? [withoutUnknown(node, known, issue.keys)] : [];
    return [fixedBy(at(suggest(unknown, known, `fields of ${definition.type}`)), ...fix)];
  }
  const ofValue = fixOfValue(issue, node.config, path);
  const fix = ofValue.length > 0 ? ofValue : fixOfType(definition, node.config, issue, path);
  return [fixedBy(at(describeField(definition, issue.path[0])), ...fix)];
}

/** Removes unknown fields; a known field with a similar name takes the value. */
function withoutUnknown(node: OutlineNode, known: readonly string[], unknown: readonly string[]): Operation {
  const config: Record<string, unknown> = {};
  for (const name of unknown) {
    config[name] = null;
    const meant = nearest(name, known).find((one) => !Object.hasOwn(node.config, one) && !Object.hasOwn(config, one));
    if (meant !== undefined) config[meant] = node.config[name];
  }
  return { op: 'set_config', nodeId: node.id, config, mode: 'merge' };
}

function describeField(definition: NodeDefinition, field: PropertyKey | undefined): string {
  const shape = definition.params.shape as Record<string, { readonly description?: string } | undefined>;
  const description = typeof field === 'string' ? shape[field]?.description : undefined;
  const example = `Example of a config: ${JSON.stringify(definition.example)}.`;
  return description === undefined ? example : `${String(field)}: ${description}. ${example}`;
}
