import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { fixedBy, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import { fields } from '#graphs/check/outline.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** SHAPE_INVALID: errors of the schema of a stored graph. */
export function checkShape(raw: unknown): { readonly graph?: StoredGraph; readonly issues: GraphIssue[] } {
  const parsed = StoredGraph.safeParse(raw);
  if (parsed.success) return { graph: parsed.data, issues: [] };
  return { issues: parsed.error.issues.flatMap((issue) => ofUnion(issue, raw)).map((issue) => shapeIssue(issue, raw)) };
}

/** Reports the errors of the union member that the author probably meant, for edges and `onError`. */
function ofUnion(issue: Issue, raw: unknown): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const value = valueAt(raw, issue.path);
  const [area, , field] = issue.path;
  const isEdge = area === 'edges' && issue.path.length === 2;
  const isRoute = area === 'nodes' && field === 'onError' && issue.path.length === 3;
  if ((!isEdge && !isRoute) || typeof value !== 'object' || value === null) return [issue];
  const meant = isRoute ? 1 : 'when' in value ? 1 : 'map' in value ? 2 : 0;
  const inside = issue.errors[meant] ?? [];
  return inside.length === 0 ? [issue] : inside.map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
}

function shapeIssue(issue: Issue, raw: unknown): GraphIssue {
  const [area, nodeId] = issue.path;
  const found: GraphIssue = {
    severity: 'error',
    code: 'SHAPE_INVALID',
    path: pointer(...issue.path),
    ...(area === 'nodes' && typeof nodeId === 'string' && { nodeId }),
    ...wording(issue, raw),
  };
  return fixedBy(found, ...fixOf(issue, raw));
}

function fixOf(issue: Issue, raw: unknown): Operation[] {
  if (issue.code === 'unrecognized_keys' && issue.path.length > 0 && issue.keys.length === 1) {
    return [setField(pointer(...issue.path, ...issue.keys))];
  }
  return fixOfValue(issue, raw, pointer(...issue.path));
}

/** Replaces a number by its limit, or a word by the nearest allowed one. `value` is the value that zod parsed. */
export function fixOfValue(issue: Issue, value: unknown, path: string): Operation[] {
  const given = valueAt(value, issue.path);
  if (typeof given === 'number') {
    if (issue.code === 'too_big' && issue.inclusive === true) return [setField(path, Number(issue.maximum))];
    if (issue.code === 'too_small' && issue.inclusive === true) return [setField(path, Number(issue.minimum))];
  }
  if (issue.code !== 'invalid_value' || typeof given !== 'string') return [];
  const words = issue.values.filter((one) => typeof one === 'string');
  const [near] = nearest(given, words);
  return near === undefined ? [] : [setField(path, near)];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let here = value;
  for (const part of path) {
    here = Array.isArray(here) ? (here as unknown[])[Number(part)] : fields(here)[String(part)];
  }
  return here;
}

function wording(issue: Issue, raw: unknown): { message: string; hint: string } {
  const end = issue.path.at(-1);
  if (issue.code === 'invalid_union' && issue.path[0] === 'edges') {
    if (issue.path.length === 2) {
      const hint = 'Use "from" with "to", with "when" and "else", or with "map".';
      return { message: 'This value is not an edge.', hint };
    }
    const reserved = end === 'from' ? 'START' : 'END';
    return {
      message: `"${String(end)}" of this edge is not a node id.`,
      hint: `Use the id of a node, or ${reserved}.`,
    };
  }
  if (issue.code === 'invalid_key') {
    const name = String(end);
    const rule = issue.issues[0]?.message ?? 'use another name';
    return { message: `"${name.slice(0, 80)}" is not a valid name here.`, hint: `For names, ${rule}.` };
  }
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => `"${key.slice(0, 80)}"`).join(', ');
    return { message: `A stored graph has no field ${names}.`, hint: 'Remove it, or correct its name.' };
  }
  const given = valueAt(raw, issue.path);
  const hint =
    issue.code === 'invalid_value' && typeof given === 'string'
      ? suggest(given, issue.values.map(String), 'values')
      : 'See the JSON Schema at /api/graph.schema.json.';
  return { message: `${issue.message}.`.replace(/\.\.$/, '.'), hint };
}
