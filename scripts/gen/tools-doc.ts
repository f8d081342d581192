import { z } from 'zod';
import { Operation } from '#src/contracts/resources/operation.ts';
import { toolDefinition } from '#mcp/present/definition.ts';
import { inputSchema, outputSchema } from '#mcp/present/json-schema.ts';
import { shownTools } from '#mcp/surface.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';
import { toolCalls } from '#scripts/gen/tool-calls.ts';
import type { AnyTool } from '#tools/define.ts';
import { tools } from '#tools/index.ts';

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Property;
  readonly properties?: Readonly<Record<string, Property>>;
  readonly anyOf?: readonly Property[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly description?: string;
}
interface Schema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
const longestChoice = 12;

/** Short name of a value's type. */
function typeOf({ type, enum: choices, const: only, items, anyOf, maxItems, properties }: Property): string {
  if (only !== undefined) return code(only);
  if (choices !== undefined && choices.length <= longestChoice) return choices.map(code).join(', ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') {
    const what = items === undefined || Object.keys(items).length === 0 ? '' : ` of ${typeOf(items)}`;
    return `list${what}${maxItems === undefined ? '' : `, at most ${maxItems}`}`;
  }
  const names = Object.keys(properties ?? {});
  if (names.length > 0) return `object of ${names.map(code).join(', ')}`;
  return typeof type === 'string' ? type : (type ?? ['any']).join(' or ');
}

function meaningOf({ description = '', default: usual, minimum, maximum }: Property): string {
  const bounds =
    minimum === undefined && maximum === undefined
      ? []
      : [
          maximum === undefined
            ? `from ${minimum}`
            : `${minimum === undefined ? 'up to ' : `${minimum} to `}${maximum}`,
        ];
  const told = [...bounds, ...(usual === undefined ? [] : [`usually ${code(usual)}`])].join('; ');
  return told === '' ? description : `${description}${description === '' ? '' : ' '}(${told})`;
}

function inputsOf(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    `\`${name}\``,
    typeOf(property),
    schema.required?.includes(name) === true ? 'yes' : '',
    meaningOf(property),
  ]);
  return rows.length === 0 ? 'It takes no input.' : table(['Input', 'Type', 'Needed', 'Meaning'], rows);
}

function outputsOf(tool: AnyTool): string {
  const { properties = {} } = z.toJSONSchema(tool.output, { io: 'output', unrepresentable: 'any' }) as Schema;
  // The list of tools has room for a part; this page has room for all.
  const whole = outputSchema(tool.output, tool.effect === 'read', Number.POSITIVE_INFINITY) as Schema;
  const told = toolDefinition(tool).outputSchema === undefined ? {} : (whole.properties ?? {});
  const rows = Object.entries(told).map(([name, property]) => [
    `\`${name}\``,
    typeOf(property),
    properties[name]?.description ?? property.description ?? '',
  ]);
  return table(['Answer', 'Type', 'Meaning'], rows);
}

const effects = {
  read: 'changes nothing',
  write: 'adds or changes something',
  destroy: 'removes something: clients are asked to have it confirmed',
} as const;

function section(tool: AnyTool): string {
  const { name, description, scope, effect, idempotent } = tool;
  const { example, errors } = toolCalls[name] ?? { example: {}, errors: [] };
  const again = effect !== 'read' && idempotent ? ' The same call again changes nothing more.' : '';
  const refusals = errors.length === 0 ? '' : `\nRefuses with ${errors.map(code).join(', ')}.\n`;
  return `### \`${name}\`

${description}

Scope: ${scope === null ? 'any credential' : code(scope)}. It ${effects[effect]}.${again}

${inputsOf(inputSchema(tool.input) as Schema)}

${outputsOf(tool)}

\`\`\`json
${JSON.stringify({ name, arguments: example })}
\`\`\`
${refusals}`;
}

function operations(): string {
  const rows = Operation.options.map((option) => {
    const schema = z.toJSONSchema(option, { io: 'input', unrepresentable: 'any' }) as Schema & Property;
    const { op, ...others } = schema.properties ?? {};
    const fields = Object.keys(others).map(
      (name) => `\`${name}\`${schema.required?.includes(name) === true ? '' : '?'}`,
    );
    return [code(op?.const), fields.join(', '), schema.description ?? ''];
  });
  return table(['Operation', 'Fields', 'Meaning'], rows);
}

const titles: Readonly<Record<string, string>> = {
  core: 'Context',
  workflows: 'Workflows',
  runs: 'Runs',
  documents: 'Documents',
  keys: 'API keys',
};

/** docs/reference/tools.md: what agents call, by toolset; then what only REST has. */
export function toolsDoc(): string {
  const shown = new Set(Object.values(shownTools).flat());
  const groups = Object.entries(shownTools).map(
    ([toolset, members]) =>
      `## ${titles[toolset] ?? toolset} (\`toolsets=${toolset}\`)\n\n${members.map(section).join('\n')}`,
  );
  const others = Object.values<AnyTool>(tools).filter((tool) => !shown.has(tool));
  const overview = [...shown].map(({ name, scope, effect }) => [
    `[\`${name}\`](#${name})`,
    scope === null ? '' : code(scope),
    effect,
  ]);
  return `${generatedNote}
# Tools

Tools that agents call at \`/mcp\`. MCP and REST call the same tools; \`callTool\` checks scope and input. Answers come as text, cut to
24 kB, with text from documents and models between \`<untrusted-document>\` tags, and whole as \`structuredContent\`. An error is
\`code: message\`, the wrong fields, and a hint that names the next call; all codes are in [errors.md](errors.md).

Every tool may fail with \`auth.forbidden\` (the scope is missing), \`request.invalid\` (wrong input), \`request.rate_limited\`,
\`service.unavailable\` and \`service.internal\`. If a credential reaches several projects, a tool that creates something needs \`projectId\`.

${table(['Tool', 'Scope', 'Effect'], overview)}

${groups.join('\n')}
## Edit operations

What \`update_workflow\` takes, fixes of the checker say and diffs are made of. Fields with ? can be left out.

${operations()}

## Over REST only

${table(
  ['Use case', 'Scope', 'Effect', 'Does'],
  others.map(({ name, scope, effect, description }) => [
    code(name),
    scope === null ? '' : code(scope),
    effect,
    description,
  ]),
)}
`;
}
