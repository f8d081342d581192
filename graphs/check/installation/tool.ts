import { ChannelName, graphLimits } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { limits } from '#src/contracts/fields.ts';
import { errorAt, fixedBy, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import { suggest } from '#graphs/check/nearest.ts';
import { fields, list, type GraphOutline } from '#graphs/check/outline.ts';
import { schemaProblems } from '#graphs/models/answer-schema.ts';

/** Keywords at the root of an input: the fields are its properties, so that all clients see each of them. */
const rootKeywords: ReadonlySet<string> = new Set(['type', 'properties', 'required', '$defs', 'additionalProperties']);
const inputPath = pointer('tool', 'input');

const invalid = (path: string, message: string, hint: string): GraphIssue =>
  errorAt('TOOL_INVALID', path, message, hint);

/** Problems of the schema as a whole; the first one only. */
function schemaIssue(input: Readonly<Record<string, unknown>>): GraphIssue[] {
  const size = Buffer.byteLength(JSON.stringify(input));
  if (size > graphLimits.toolInputBytes) {
    const message = `The input of the tool has ${size} bytes of JSON; at most ${graphLimits.toolInputBytes} are allowed.`;
    return [
      invalid(inputPath, message, 'Ask for less, or describe it in fewer words: every list of tools repeats it.'),
    ];
  }
  const [problem] = schemaProblems(input);
  if (problem !== undefined)
    return [invalid(inputPath, `The input of the tool cannot be used: ${problem}.`, 'Correct the JSON Schema.')];
  const other = Object.keys(input).find((name) => !rootKeywords.has(name));
  if (other === undefined && (input['additionalProperties'] ?? false) === false) return [];
  const path = pointer('tool', 'input', other ?? 'additionalProperties');
  const issue = invalid(path, 'The input of the tool takes its properties only.', 'Remove it.');
  return [fixedBy(issue, setField(path))];
}

/** The operation that declares the channel of a field; none for a name that no channel can have. */
function declaring(name: string, schema: unknown): Operation[] {
  if (!ChannelName.safeParse(name).success || name in Object.prototype) return [];
  return [{ op: 'set_state_field', name, channel: { schema: fields(schema), reducer: 'replace' } }];
}

function fieldIssues(graph: GraphOutline, input: Readonly<Record<string, unknown>>): GraphIssue[] {
  const properties = fields(input['properties']);
  const channels = [...graph.channels.keys()];
  const unknown = Object.entries(properties).flatMap(([name, schema]) => {
    const path = pointer('tool', 'input', 'properties', name);
    if (name === 'documentId') {
      const issue = invalid(path, '"documentId" is the document of the call.', 'Remove it: every call has it.');
      return [fixedBy(issue, setField(path))];
    }
    if (graph.channels.has(name)) return [];
    const message = `The tool takes "${name}", which is no channel.`;
    const issue = errorAt('CHANNEL_UNKNOWN', path, message, suggest(name, channels, 'channels'));
    return [fixedBy(issue, ...declaring(name, schema))];
  });
  const missing = list(input['required']).flatMap((name, at) => {
    if (Object.hasOwn(properties, String(name))) return [];
    const path = pointer('tool', 'input', 'required', at);
    const issue = invalid(
      path,
      `The tool requires "${String(name)}", which it does not take.`,
      'Describe it, or remove it.',
    );
    return [fixedBy(issue, setField(path))];
  });
  return [...unknown, ...missing];
}

/**
 * TOOL_INVALID, and names that are taken: the workflow as an MCP tool. Its input is bounded like the schemas of answers, and its fields are
 * channels. Source: docs/decisions/0194.
 */
export function checkTool(graph: GraphOutline): GraphIssue[] {
  const { tool } = graph.raw;
  if (tool === undefined) return [];
  const { name, input = { type: 'object' } } = fields(tool);
  const schema = fields(input);
  const wrong = schemaIssue(schema);
  const issues = wrong.length > 0 ? wrong : fieldIssues(graph, schema);
  const { tools } = graph.context;
  const holder = typeof name === 'string' ? tools?.taken.get(name) : undefined;
  if (holder !== undefined) {
    const message = `${holder} has the name "${String(name)}".`;
    issues.push(errorAt('ID_COLLISION', pointer('tool', 'name'), message, 'Choose another name.'));
  }
  if (tools?.isFull === true) {
    const message = `The project has ${limits.workflowTools} workflows that are tools, the maximum.`;
    issues.push(errorAt('LIMIT_EXCEEDED', pointer('tool'), message, 'Remove "tool" here or from another workflow.'));
  }
  return issues;
}
