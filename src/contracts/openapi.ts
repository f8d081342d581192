import { z } from 'zod';
import { errorCodes, type ErrorCode } from '#src/contracts/error-codes.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import { Problem } from '#src/contracts/resources/problem.ts';
import { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import { dashboardLive } from '#src/contracts/dashboard/live.ts';
import { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import { dashboardOperators } from '#src/contracts/dashboard/operators.ts';
import { dashboardRecords, serviceRecords } from '#src/contracts/dashboard/records.ts';
import { dashboardExperiments } from '#src/contracts/dashboard/experiments.ts';
import { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import { fieldWords, otherTag, tags } from '#src/contracts/words/openapi.ts';
import { describeRow } from '#src/contracts/words/operation.ts';
import { own } from '#src/contracts/own.ts';
import { sessionCookie, type Caller, type Route } from '#src/contracts/route.ts';
import { dashboardWebhooks, serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { serviceResults } from '#src/contracts/results/service-rows.ts';
import { service } from '#src/contracts/service.ts';

type Json = Record<string, unknown>;

const everywhere: readonly ErrorCode[] = [
  'request.malformed',
  'request.invalid',
  'auth.unauthorized',
  'auth.forbidden',
  'request.rate_limited',
  'service.internal',
  'service.unavailable',
];
const withBody: readonly ErrorCode[] = ['request.too_large', 'request.media_type'];

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A tuple also as a bounded list, for readers that do not know tuples. */
function boundedTuple(schema: Json): Json {
  const parts = schema['prefixItems'];
  if (!Array.isArray(parts) || isJson(schema['items'])) return schema;
  const options = [...new Map(parts.map((part: unknown) => [JSON.stringify(part), part])).values()];
  const items = options.length === 1 ? options[0] : { anyOf: options };
  return { ...schema, items, minItems: parts.length, maxItems: parts.length };
}

/** A map whose names are known, as an object with these members: generators make a field of each. */
function withMembers(schema: Json, io: 'input' | 'output'): Json {
  const { propertyNames, additionalProperties, ...rest } = schema;
  const names = isJson(propertyNames) ? propertyNames['enum'] : undefined;
  if (!Array.isArray(names) || !isJson(additionalProperties)) return schema;
  const properties = Object.fromEntries(names.map((name) => [String(name), structuredClone(additionalProperties)]));
  return { ...rest, properties, ...(io === 'input' && { additionalProperties: false }) };
}

/** The same schema in the words that linters and generators of clients know. Source: docs/decisions/0193. */
const plainer = (schema: Json, io: 'input' | 'output'): Json => withMembers(boundedTuple(schema), io);

/** Moves zod's `$defs` to OpenAPI components, so that a shared schema appears once. */
function schemaOf(type: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const {
    $schema: _,
    $defs,
    ...schema
  } = z.toJSONSchema(type, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
  }) as Json;
  const rewritten = JSON.parse(
    JSON.stringify({ schema, $defs }).replaceAll('"#/$defs/', '"#/components/schemas/'),
    (_name, part: unknown) => (isJson(part) ? plainer(part, io) : part),
  ) as { schema: Json; $defs?: Record<string, Json> };
  for (const [name, definition] of Object.entries(rewritten.$defs ?? {})) components[name] = definition;
  const id = typeof schema['id'] === 'string' ? schema['id'] : undefined;
  if (id === undefined) return rewritten.schema;
  components[id] = rewritten.schema;
  return { $ref: `#/components/schemas/${id}` };
}

function parameters(row: Route, components: Json): Json[] {
  const of = (part: z.ZodObject | undefined, place: 'path' | 'query'): Json[] =>
    Object.entries(part?.shape ?? {}).map(([name, field]) => {
      const schema = schemaOf(field as z.ZodType, 'input', components);
      const optional = (field as z.ZodType).safeParse(undefined).success;
      const { description = own(fieldWords, name), ...rest } = schema;
      return {
        name,
        in: place,
        required: place === 'path' || !optional,
        ...(description === undefined ? {} : { description }),
        schema: rest,
      };
    });
  return [...of(row.params, 'path'), ...of(row.query, 'query')];
}

function failures(row: Route): Json {
  const codes = [...everywhere, ...(row.body === undefined ? [] : withBody), ...row.errors];
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, ofStatus]) => [
        String(status),
        {
          description: [...new Set(ofStatus)].map((code) => `\`${code}\`: ${errorCodes[code].title}`).join('. '),
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  );
}

const session = { session: [] };
const apiKey = { apiKey: [] };

function securityOf(caller: Caller): Json[] {
  if (caller === 'anyone') return [];
  if (caller === 'session') return [session];
  return caller === 'editor' ? [session, apiKey] : [apiKey];
}

const schemes: Readonly<Record<'session' | 'apiKey', Json>> = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'Session cookie, set by POST /api/auth/sign-in/email or the page /sign-in',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
};

function operation(row: Route, components: Json): Json {
  const media =
    row.stream === true ? 'text/event-stream' : row.lines === true ? 'application/jsonl' : 'application/json';
  const content = {
    ...(row.files === undefined && { [media]: { schema: schemaOf(row.reply, 'output', components) } }),
    ...(row.csv === true && { 'text/csv': { schema: { type: 'string' } } }),
    ...Object.fromEntries((row.files ?? []).map((file) => [file, { schema: { type: 'string' } }])),
  };
  const success = (description: string): Json => ({ description, content });
  return {
    operationId: row.id,
    summary: row.summary,
    description: describeRow(row),
    tags: [tagOf(row)[0]],
    security: securityOf(row.caller),
    parameters: parameters(row, components),
    ...(row.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(row.body, 'input', components) } },
          },
        }),
    responses: {
      [row.status]: success(row.summary),
      ...Object.fromEntries(
        Object.entries(row.also ?? {}).map(([status, text]) => [
          status,
          status === '204' ? { description: text } : success(text),
        ]),
      ),
      ...failures(row),
    },
  };
}

/** Tag of a row, by its path. */
function tagOf({ path }: Route): readonly [name: string, description: string] {
  const [, , family = '', part = ''] = path.split('/');
  return own(tags, family) ?? own(tags, part) ?? otherTag;
}

/** Value that the member `type` of a schema always has. */
function typeOf(schema: unknown): unknown {
  const { properties } = (schema ?? {}) as { properties?: Readonly<Record<string, { const?: unknown }>> };
  return properties?.['type']?.const;
}

/** Names the member that tells the frames of a stream apart, and the schema of each. */
function addDiscriminators(components: Json): void {
  for (const schema of Object.values(components) as Json[]) {
    const branches = (schema['oneOf'] ?? []) as Json[];
    const names = branches.map(({ $ref }) => String($ref).split('/').at(-1) ?? '');
    const types = names.map((name) => typeOf(own(components, name)));
    if (branches.length === 0 || types.some((type) => typeof type !== 'string')) continue;
    const mapping: Json = Object.fromEntries(
      names.map((name, at) => [String(types[at]), `#/components/schemas/${name}`]),
    );
    schema['discriminator'] = { propertyName: 'type', mapping };
  }
}

/** Describes fields that their contract leaves undescribed by what their name means everywhere. */
function describeFields(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (Array.isArray(schema)) {
    for (const one of schema) describeFields(one);
    return;
  }
  const { properties } = schema as { properties?: Record<string, Json> };
  for (const [name, field] of Object.entries(properties ?? {})) {
    const words = own(fieldWords, name);
    // Beside a reference, a description replaces the one that it leads to.
    if (words !== undefined && field['description'] === undefined && field['$ref'] === undefined)
      field['description'] = words;
  }
  for (const child of Object.values(schema)) describeFields(child);
}

interface Family {
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Route[];
  readonly security: readonly (keyof typeof schemes)[];
}

const common = 'Errors are RFC 9457 problem details. Later versions only add members: ignore those you do not know.';

const families = {
  service: {
    title: 'Inkgraph service API',
    description: `Ingestion with workflow keys and orchestration with service keys. Only credentials of its project can read a \`private\` document; every project of the organization can read a \`public\` one. ${common}`,
    rows: [
      ...Object.values(ingestion),
      ...Object.values(service),
      ...Object.values(serviceResults),
      ...Object.values(serviceRecords),
      ...Object.values(serviceWebhooks),
    ] as Route[],
    security: ['apiKey'],
  },
  dashboard: {
    title: 'Inkgraph dashboard API',
    description: `The API of the dashboard, authenticated by a session cookie. A request works on the session's active organization, or on the one in \`organizationId\`. Requests that change something must be JSON and come from an allowed origin. Workflow endpoints also accept a service key with the required scopes. ${common}`,
    rows: [
      ...Object.values(dashboardDocuments),
      ...Object.values(dashboardLive),
      ...Object.values(dashboardRuns),
      ...Object.values(dashboardExperiments),
      ...Object.values(dashboardRecords),
      ...Object.values(dashboardOperators),
      ...Object.values(dashboardWorkflows),
      ...Object.values(dashboardOrganization),
      ...Object.values(dashboardWebhooks),
    ] as Route[],
    security: ['session', 'apiKey'],
  },
} as const satisfies Record<string, Family>;

/** Builds the OpenAPI 3.1 document of the service or the dashboard API. Source: `service.openapi.contracts`, docs/decisions/0015. */
export function buildOpenApi(family: keyof typeof families, version: string, serverUrl: string): Json {
  const { title, description, rows, security }: Family = families[family];
  const components: Json = {};
  schemaOf(Problem, 'output', components);
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, components) };
  }
  addDiscriminators(components);
  describeFields([paths, components]);
  const shown = new Map([...Object.values(tags), otherTag].map((tag) => [tag[0], tag[1]]));
  const used = new Set(rows.map((row) => tagOf(row)[0]));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: { name: 'Operator of this installation', url: serverUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: [...shown].filter(([name]) => used.has(name)).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      schemas: components,
      securitySchemes: Object.fromEntries(security.map((name) => [name, schemes[name]])),
    },
  };
}
