import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { pointer, type GraphIssue } from '#graphs/check/issue.ts';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** SHAPE_INVALID: what the schema of a stored graph does not take. */
export function checkShape(raw: unknown): { readonly graph?: StoredGraph; readonly issues: GraphIssue[] } {
  const parsed = StoredGraph.safeParse(raw);
  if (parsed.success) return { graph: parsed.data, issues: [] };
  return { issues: parsed.error.issues.map(shapeIssue) };
}

function shapeIssue(issue: Issue): GraphIssue {
  const [area, nodeId] = issue.path;
  return {
    severity: 'error',
    code: 'SHAPE_INVALID',
    path: pointer(...issue.path),
    ...(area === 'nodes' && typeof nodeId === 'string' && { nodeId }),
    ...wording(issue),
  };
}

function wording(issue: Issue): { message: string; hint: string } {
  const [area, , end] = issue.path;
  if (issue.code === 'invalid_union' && area === 'edges') {
    const reserved = end === 'from' ? 'START' : 'END';
    return {
      message: `"${String(end)}" of this edge is not a node id.`,
      hint: `Write the id of a node, or ${reserved}.`,
    };
  }
  if (issue.code === 'invalid_key') {
    const name = String(issue.path.at(-1));
    const rule = issue.issues[0]?.message ?? 'use another name';
    return { message: `"${name.slice(0, 80)}" cannot be a name here.`, hint: `For names, ${rule}.` };
  }
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => `"${key.slice(0, 80)}"`).join(', ');
    return { message: `Not a field of a stored graph: ${names}.`, hint: 'Remove it, or correct its name.' };
  }
  return { message: `${issue.message}.`.replace(/\.\.$/, '.'), hint: 'See the JSON Schema of a stored graph.' };
}
