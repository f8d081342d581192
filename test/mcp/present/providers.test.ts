import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { GoogleGenAI, type FunctionDeclaration } from '@google/genai';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lenientInput } from '#mcp/lenient-input.ts';
import { toolDefinition } from '#mcp/present/definition.ts';
import { isObject, listOf, propertiesOf, type Schema } from '#mcp/present/schema.ts';
import { shownTools } from '#mcp/surface.ts';
import { toolCalls } from '#scripts/gen/tool-calls.ts';
import { verifies } from '#test/support/verifies.ts';

const tools = Object.values(shownTools).flat();
const definitions = tools.map(toolDefinition);

/** Every schema inside a schema, with its path. */
function* parts(schema: Schema, path = ''): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [name, child] of Object.entries(propertiesOf(schema))) yield* parts(child, `${path}.${name}`);
  if (isObject(schema['items'])) yield* parts(schema['items'], `${path}[]`);
  for (const [index, option] of listOf(schema['anyOf']).entries()) yield* parts(option, `${path}|${index}`);
}
const findings = (schema: Schema, wrong: (part: Schema, path: string) => string | false): string[] =>
  [...parts(schema)].flatMap(([path, part]) => {
    const found = wrong(part, path);
    return found === false ? [] : [`${path}: ${found}`];
  });

const bareTypes = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Each status inside a schema, with its path and values. */
function statesOf(schema: Schema, path = ''): string[] {
  const root = schema['$defs'] === undefined ? {} : (schema['$defs'] as Record<string, Schema>);
  const walk = (part: Schema, at: string): string[] => {
    const { $ref, anyOf, oneOf, items, enum: values } = part;
    if (typeof $ref === 'string') return walk(root[$ref.replace('#/$defs/', '')] ?? {}, at);
    return [
      ...(Array.isArray(values) && /\.(status|state|verdict|certainty)$/.test(at)
        ? [`${at}: ${values.join(', ')}`]
        : []),
      ...[...listOf(anyOf), ...listOf(oneOf)].flatMap((option) => walk(option, at)),
      ...(isObject(items) ? walk(items, `${at}[]`) : []),
      ...Object.entries(propertiesOf(part)).flatMap(([name, child]) => walk(child, `${at}.${name}`)),
    ];
  };
  return walk(schema, path);
}

/** Rules of the Inspector's strict mode, and those that all providers share. */
function isRefused(part: Schema): string | false {
  const { type, anyOf, enum: values } = part;
  if (Array.isArray(type)) return 'a list of types';
  if (type !== undefined && (typeof type !== 'string' || !bareTypes.has(type))) return 'an unknown type';
  if (type !== undefined && anyOf !== undefined) return 'a type beside anyOf';
  if (type === undefined && anyOf === undefined) return 'no type';
  if (Array.isArray(values) && (type !== 'string' || !values.every((value) => typeof value === 'string')))
    return 'an enum of other values than text';
  const odd = ['const', 'oneOf', 'allOf', 'not', '$ref', 'uniqueItems', 'propertyNames', 'exclusiveMinimum'].find(
    (keyword) => keyword in part,
  );
  return odd ?? false;
}

/** Fields of `Schema` in the API of Gemini. */
const geminiFields = new Set(
  'type format title description nullable enum items minItems maxItems properties required minLength maxLength pattern anyOf default minimum maximum'.split(
    ' ',
  ),
);

/** Requests that a converter sent; the only model that takes them is this server. */
const received: unknown[] = [];
const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  received.push(await json(request));
  response.setHeader('content-type', 'application/json');
  response.end('{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}]}');
};
const server = createServer((request, response) => void take(request, response));
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

interface Declared {
  readonly name: string;
  readonly description: string;
  readonly parameters?: Schema;
}
const declaredLast = (): readonly Declared[] =>
  (received.at(-1) as { tools: { functionDeclarations: Declared[] }[] }).tools.flatMap(
    ({ functionDeclarations }) => functionDeclarations,
  );

/** Losses of a converted schema, and members that Gemini refuses. */
function lostIn(shown: Schema, sent: Schema | undefined, path = ''): string[] {
  if (sent === undefined) return [`${path} is gone`];
  const extra = Object.keys(sent).filter((name) => !geminiFields.has(name));
  const options = listOf(shown['anyOf']);
  const others = options.filter(({ type }) => type !== 'null');
  const sentOptions = listOf(sent['anyOf']).filter(({ type }) => String(type).toLowerCase() !== 'null');
  const kept = ['description', 'enum', 'minimum', 'maximum', 'required', 'default'].filter(
    (name) => name in shown && JSON.stringify(shown[name]) !== JSON.stringify(sent[name]),
  );
  const isNull = options.length > others.length && sent['anyOf'] === undefined;
  return [
    ...extra.map((name) => `${path}: Gemini has no ${name}`),
    ...kept.map((name) => `${path}: ${name} is lost`),
    ...(shown['type'] !== undefined && JSON.stringify(shown['type']) !== JSON.stringify(sent['type'])?.toLowerCase()
      ? [`${path}: its type is lost`]
      : []),
    ...Object.entries(propertiesOf(shown)).flatMap(([name, child]) =>
      lostIn(child, propertiesOf(sent)[name], `${path}.${name}`),
    ),
    ...(isObject(shown['items']) ? lostIn(shown['items'], sent['items'] as Schema, `${path}[]`) : []),
    ...(isNull
      ? others.flatMap((option) => lostIn(option, sent, path))
      : others.flatMap((option, index) => lostIn(option, sentOptions[index], `${path}|${index}`))),
  ];
}
function lossesOf(declared: readonly Declared[]): string[] {
  const byName = new Map(declared.map((one) => [one.name, one]));
  return definitions.flatMap(({ name, description, inputSchema }) => {
    const sent = byName.get(name);
    if (sent?.description !== description) return [`${name}: its description is lost`];
    // A tool without parameters may be sent without a schema.
    const isEmpty = Object.keys(propertiesOf(inputSchema)).length === 0 && sent.parameters === undefined;
    return isEmpty ? [] : lostIn(inputSchema, sent.parameters, name);
  });
}

/** A schema as OpenAI's strict mode has it: closed objects, all members required, free-form values as JSON text. */
function strict(schema: Schema, isOptional = false): Schema {
  const { default: _, minimum, maximum, ...rest } = schema;
  const required = new Set((rest['required'] ?? []) as string[]);
  const members = Object.entries(propertiesOf(rest));
  const isFree = rest['type'] === 'object' && members.length === 0;
  const options = listOf(rest['anyOf']).map((option) => strict(option));
  const own: Schema = isFree
    ? { type: 'string', description: rest['description'] }
    : {
        ...rest,
        ...(minimum !== undefined && { minimum, maximum }),
        ...(isObject(rest['items']) && { items: strict(rest['items']) }),
        ...(options.length > 0 && { anyOf: options }),
        ...(rest['type'] === 'object' && {
          properties: Object.fromEntries(members.map(([name, child]) => [name, strict(child, !required.has(name))])),
          required: members.map(([name]) => name),
          additionalProperties: false,
        }),
      };
  return isOptional ? { anyOf: [own, { type: 'null' }] } : own;
}

/** A call as a model in strict mode writes it. */
function strictCall(schema: Schema, value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map((one) => strictCall((schema['items'] ?? {}) as Schema, one));
  if (!isObject(value)) return value;
  const members = propertiesOf(schema);
  if (Object.keys(members).length === 0) return JSON.stringify(value);
  return Object.fromEntries(Object.entries(members).map(([name, child]) => [name, strictCall(child, value[name])]));
}

describe('schemas that every provider takes', () => {
  verifies('mcp.schemas', () => {
    const wrong = definitions.flatMap(({ name, inputSchema, outputSchema }) => [
      ...findings(inputSchema, isRefused).map((found) => `${name} in ${found}`),
      ...(outputSchema === undefined ? [] : findings(outputSchema, isRefused).map((found) => `${name} out ${found}`)),
    ]);
    expect(wrong).toEqual([]);
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    for (const { inputSchema, outputSchema } of definitions)
      expect(() => [ajv.compile(inputSchema), ajv.compile(outputSchema ?? true)]).not.toThrow();
  });

  verifies('mcp.schemas.states', () => {
    const stated = tools.flatMap((tool) => {
      const shown = new Set(statesOf(toolDefinition(tool).outputSchema ?? {}));
      const all = statesOf(z.toJSONSchema(tool.output, { io: 'output', reused: 'inline', unrepresentable: 'any' }));
      return all.map((state) => [`${tool.name}${state}`, shown.has(state)] as const);
    });
    expect(stated.filter(([, isShown]) => !isShown).map(([state]) => state)).toEqual([]);
    expect(stated.length).toBeGreaterThan(30);
    expect(stated.map(([state]) => state)).toContain(
      'get_run.results.documents[].runs[].status: queued, running, waiting, succeeded, failed, canceled, timed_out',
    );
  });

  verifies('mcp.schemas.words', () => {
    const wrong = definitions.flatMap(({ name, inputSchema }) =>
      findings(inputSchema, (part, path) => {
        const { type, anyOf, description, minimum, maximum } = part;
        const isParameter = /\.\w+$/.test(path);
        const words = description ?? listOf(anyOf)[0]?.['description'];
        if (isParameter && (typeof words !== 'string' || words === '')) return 'no description';
        if (type === 'integer' && (minimum === undefined || maximum === undefined)) return 'no bounds';
        const names = Object.keys(propertiesOf(part));
        const required = (part['required'] ?? []) as string[];
        const first = new Set(names.slice(0, required.length));
        return required.some((one) => !first.has(one)) && 'a required parameter after an optional one';
      }).map((found) => `${name} ${found}`),
    );
    expect(wrong).toEqual([]);
    expect(definitions.filter(({ description }) => description.includes('Example: {')).length).toBeGreaterThanOrEqual(
      10,
    );
    for (const { name, description } of definitions) {
      const example = /Example: (\{.*\})/.exec(description)?.[1];
      const tool = tools.find((one) => one.name === name);
      if (example !== undefined) expect(tool?.input.safeParse(JSON.parse(example)).error, name).toBeUndefined();
    }
  });

  verifies('mcp.schemas.strict', () => {
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    for (const [index, { name, description, inputSchema }] of definitions.entries()) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description.length, name).toBeLessThanOrEqual(1_024);
      for (const [, part] of parts(inputSchema))
        for (const key of Object.keys(propertiesOf(part))) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      // A tool without parameters has nothing to convert.
      if (Object.keys(propertiesOf(inputSchema)).length === 0) continue;
      const closed = strict(inputSchema);
      const depth = Math.max(...[...parts(closed)].map(([path]) => path.split(/[.[]/).length));
      expect(depth, name).toBeLessThanOrEqual(10);
      const { example } = toolCalls[name] ?? { example: {} };
      const call = strictCall(inputSchema, example);
      expect(ajv.validate(closed, call), `${name}: ${ajv.errorsText()}`).toBe(true);
      const tool = tools[index];
      const read = tool?.input.safeParse(lenientInput(inputSchema, call as Record<string, unknown>));
      expect(read?.error, name).toBeUndefined();
      expect(read?.data, name).toEqual(tool?.input.parse(example));
    }
  });

  verifies('mcp.schemas.gemini', async () => {
    const ai = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl: address } });
    const functionDeclarations = definitions.map(({ name, description, inputSchema }): FunctionDeclaration => ({
      name,
      description,
      parameters: structuredClone(inputSchema) as never,
    }));
    await ai.models.generateContent({
      model: 'gemini-test',
      contents: 'hello',
      config: { tools: [{ functionDeclarations }] },
    });
    expect(lossesOf(declaredLast())).toEqual([]);

    const model = new ChatGoogleGenerativeAI({ model: 'gemini-test', apiKey: 'test', baseUrl: address, maxRetries: 0 });
    const asOpenAi = definitions.map(({ name, description, inputSchema: parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters },
    }));
    await model.bindTools(asOpenAi).invoke('hello');
    expect(lossesOf(declaredLast())).toEqual([]);
  });
});

describe('input that is not quite as shown', () => {
  const schemaOf = (name: string): Schema => definitions.find((one) => one.name === name)?.inputSchema ?? {};
  verifies('mcp.lenient_input', () => {
    expect(
      lenientInput(schemaOf('run_workflow'), {
        agentGraphId: 'wf_1',
        documentIds: '["doc_1"]',
        waitSeconds: '5',
        initialState: '{"a":[1]}',
        version: null,
      }),
    ).toEqual({ workflowId: 'wf_1', documentIds: ['doc_1'], waitSeconds: 5, initialState: { a: [1] } });
    expect(lenientInput(schemaOf('run_workflow'), { id: 'wf_1', documentId: 'doc_1' })).toEqual({
      workflowId: 'wf_1',
      documentIds: ['doc_1'],
    });
    expect(lenientInput(schemaOf('get_document'), { id: 'doc_1' })).toEqual({ documentId: 'doc_1' });
    expect(lenientInput(schemaOf('get_run'), { id: 'exec_1', wait: 5 })).toEqual({
      executionId: 'exec_1',
      waitSeconds: 5,
    });
    expect(lenientInput(schemaOf('get_experiment'), { id: 'xp_1', waitSeconds: 5 })).toEqual({
      experimentId: 'xp_1',
      wait: 5,
    });
    expect(
      lenientInput(schemaOf('update_workflow'), {
        workflowId: 'wf_1',
        baseVersion: '4',
        operations: '[{"op":"set_config","nodeId":"a","config":"{\\"b\\":1}","mode":null}]',
      }),
    ).toEqual({
      workflowId: 'wf_1',
      baseVersion: 4,
      operations: [{ op: 'set_config', nodeId: 'a', config: { b: 1 } }],
    });
  });

  it('is left alone where a text or null is a value', () => {
    expect(lenientInput(schemaOf('resume_run'), { runId: 'run_1', answer: '5' })).toEqual({
      runId: 'run_1',
      answer: '5',
    });
    expect(lenientInput(schemaOf('resume_run'), { runId: 'run_1', answer: null })).toEqual({
      runId: 'run_1',
      answer: null,
    });
    expect(lenientInput(schemaOf('run_workflow'), { documentIds: 'not JSON' })).toEqual({ documentIds: 'not JSON' });
    expect(lenientInput(schemaOf('get_document'), { id: 'run_1' })).toEqual({ id: 'run_1' });
    expect(lenientInput(schemaOf('search_documents'), { query: '{"a":1}' })).toEqual({ query: '{"a":1}' });
  });
});
