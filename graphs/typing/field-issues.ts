import { errorAt, fixedBy, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import type { GraphOutline } from '#graphs/check/outline.ts';
import { writersBefore, writtenBefore } from '#graphs/check/reads.ts';
import type { Expression } from '#graphs/expression/expression.ts';
import type { TypeFinding } from '#graphs/expression/infer.ts';
import { membersOf, withoutNull, type ValueType } from '#graphs/typing/value-type.ts';

/** An expression and its place in the graph. */
export interface TypedSite {
  /** JSON Pointer of the text that holds the expression. */
  readonly path: string;
  /** The expression, or a template with it. */
  readonly text: string;
  readonly nodeId?: string;
  /** Node before the edge that the expression stands in. */
  readonly from?: string;
  /** False if the expression is evaluated only where others before it decide nothing. */
  readonly isFirst?: boolean;
}

/**
 * FIELD_UNKNOWN: an expression reads a field that the value cannot have. VALUE_UNKNOWN: it compares a value with a text that the value
 * cannot be. An error if every visit of the node would fail with it, otherwise a warning. Source: docs/decisions/0168.
 */
export function fieldIssues(graph: GraphOutline, site: TypedSite, expression: Expression): GraphIssue[] {
  const { findings } = expression.infer(graph.types.scopeOf(site.nodeId));
  return findings.flatMap((finding) => {
    const near = nearest(finding.name, finding.known);
    // A schema that does not rule out further fields makes a similar name suspicious, and no other.
    if (finding.found === 'unlikely' && near.length === 0) return [];
    const issue = { ...issueOf(finding, site), ...(site.nodeId !== undefined && { nodeId: site.nodeId }) };
    const [meant] = near;
    const text = meant === undefined ? undefined : corrected(site, expression.source, finding, meant);
    const mended = fixedBy(issue, ...(text === undefined ? [] : [setField(site.path, text)]));
    return [isCertain(graph, site, expression, finding) ? mended : warning(mended)];
  });
}

function issueOf({ kind, name, of, type, known }: TypeFinding, { path }: TypedSite): GraphIssue {
  const value = shortened(of);
  const word = shortened(name);
  if (kind === 'option')
    return errorAt('VALUE_UNKNOWN', path, `${value} is never "${word}".`, suggest(name, known, 'values'));
  if (known.length > 0)
    return errorAt(
      'FIELD_UNKNOWN',
      path,
      `${value} has no field "${word}".`,
      suggest(name, known, `fields of ${value}`),
    );
  const kinds = new Set(membersOf(withoutNull(type)).map(wordOf));
  const hint = kinds.has('a list')
    ? `Use an item, such as ${value}[0], or all of them with map.`
    : `Use ${value} itself.`;
  return errorAt('FIELD_UNKNOWN', path, `${value} is ${[...kinds].join(' or ')} and has no field "${word}".`, hint);
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function wordOf({ is }: ValueType): string {
  const words: Partial<Record<ValueType['is'], string>> = {
    string: 'a text',
    list: 'a list',
    boolean: 'true or false',
    object: 'an object without fields',
  };
  return words[is] ?? 'a number';
}

/** The text with the name that was meant; undefined if its place in the text is not certain. */
function corrected(
  { text }: TypedSite,
  source: string,
  { name, start }: TypeFinding,
  meant: string,
): string | undefined {
  if (start < 0 || source.slice(start, start + name.length) !== name) return undefined;
  const changed = source.slice(0, start) + meant + source.slice(start + name.length);
  if (text === source) return changed;
  const at = text.indexOf(source);
  if (at === -1 || text.includes(source, at + 1)) return undefined;
  return text.slice(0, at) + changed + text.slice(at + source.length);
}

/** True if the value always comes from nodes whose types rule the field out, and nothing catches the failure. */
function isCertain(graph: GraphOutline, site: TypedSite, expression: Expression, finding: TypeFinding): boolean {
  const { kind, always, found, root, start } = finding;
  if (kind !== 'field' || !always || found !== 'no' || root === null || site.isFirst === false) return false;
  const channel = graph.channels.get(root);
  if (channel?.reducer !== 'replace' || graph.maps.some(({ as }) => as === root)) return false;
  const place = site.nodeId ?? site.from;
  const node = place === undefined ? undefined : graph.nodes.get(place);
  if (node === undefined || !graph.reached.has(node.id)) return false;
  if (site.nodeId !== undefined && (node.continues || node.route !== undefined)) return false;
  if (!isWritten(graph, node.id, root, site.nodeId === undefined)) return false;
  const sure = expression.infer(graph.types.sureScope).findings;
  return sure.some((one) => one.start === start && one.found === 'no' && one.always);
}

function isWritten(graph: GraphOutline, nodeId: string, channel: string, isAfter: boolean): boolean {
  const node = graph.nodes.get(nodeId);
  if (isAfter && node !== undefined && !node.continues && !node.route && node.io.writes.includes(channel)) return true;
  return writtenBefore(graph, nodeId, channel, writersBefore(graph, nodeId)) === 'surely';
}
