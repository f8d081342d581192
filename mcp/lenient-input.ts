import { own } from '#src/contracts/own.ts';
import { isObject, listOf, optionsIn, propertiesOf, type Schema } from '#mcp/present/schema.ts';

type Input = Readonly<Record<string, unknown>>;

/** Other names of parameters, which agents take from answers and from older descriptions. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  documentId: ['id', 'document'],
  documentIds: ['documentId', 'ids'],
  executionId: ['id', 'taskId'],
  experimentId: ['id'],
  datasetId: ['id'],
  keyId: ['id'],
  recordId: ['id'],
  runId: ['id'],
  wait: ['waitSeconds'],
  waitSeconds: ['wait'],
  workflowId: ['agentGraphId', 'graphId', 'id'],
};

const optionsOf = (schema: Schema): readonly Schema[] =>
  Array.isArray(schema['anyOf']) ? listOf(schema['anyOf']) : [schema];

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function takes(schema: Schema, value: unknown): boolean {
  const type = typeOf(value);
  return optionsOf(schema).some(
    (option) =>
      (option['type'] === type || (option['type'] === 'number' && type === 'integer')) &&
      (!Array.isArray(option['enum']) || option['enum'].includes(value)),
  );
}

/** Reads JSON that came as text where no text is taken. Text that is not such JSON stays, and `callTool` says what is wrong. */
function read(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'string' || takes(schema, value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return takes(schema, parsed) ? parsed : value;
  } catch {
    return value;
  }
}

function lenientValue(schema: Schema, given: unknown): unknown {
  const value = read(schema, given);
  const { items } = schema;
  if (Array.isArray(value) && isObject(items)) return value.map((one) => lenientValue(items, one));
  const option = optionsOf(schema).find(({ properties }) => properties !== undefined);
  return option !== undefined && isObject(value) ? lenientMembers(option, value) : value;
}

function lenientMembers(schema: Schema, input: Input): Input {
  const properties = propertiesOf(schema);
  const options = optionsIn(schema);
  const members = options === undefined ? undefined : own(options.members, String(input[options.discriminator]));
  const entries = Object.entries(input).flatMap(([name, value]): [string, unknown][] => {
    const member = own(properties, name);
    if (member === undefined) return [[name, value]];
    // Strict modes make every parameter required, and null of one that is optional.
    const isLeftOut = value === null && (!takes(member, null) || members?.includes(name) === false);
    return isLeftOut ? [] : [[name, lenientValue(member, value)]];
  });
  return Object.fromEntries(entries);
}

/** Starts of ids, by the parameter that takes them: an "id" of another kind is no alias. */
const prefixes: Readonly<Record<string, string>> = {
  doc: 'documentId',
  exec: 'executionId',
  xp: 'experimentId',
  ds: 'datasetId',
  key: 'keyId',
  rec: 'recordId',
  run: 'runId',
  wf: 'workflowId',
};

function isFor(name: string, value: unknown): boolean {
  const kind = typeof value === 'string' ? own(prefixes, value.split('_', 1)[0] ?? '') : undefined;
  return kind === undefined || kind === name || `${kind}s` === name;
}

/** Gives each parameter its own name. A name that the tool has itself is never an alias. */
function renamed(schema: Schema, input: Input): Input {
  const properties = propertiesOf(schema);
  const result = new Map(Object.entries(input));
  for (const [name, member] of Object.entries(properties)) {
    if (result.get(name) !== undefined) continue;
    const alias = own(otherNames, name)?.find(
      (other) =>
        result.get(other) !== undefined && own(properties, other) === undefined && isFor(name, result.get(other)),
    );
    if (alias === undefined) continue;
    const value = result.get(alias);
    result.set(
      name,
      member['type'] === 'array' && typeof value === 'string' && !value.startsWith('[') ? [value] : value,
    );
    result.delete(alias);
  }
  return Object.fromEntries(result);
}

/**
 * Takes what models send instead of the shape that a tool shows: another name of a parameter, JSON as text, and null for an optional
 * parameter. All else is left to `callTool`. `schema`: the input schema that the tool shows. Source: docs/decisions/0170.
 */
export function lenientInput(schema: Schema, input: Input): Input {
  return lenientMembers(schema, renamed(schema, input));
}
