import { z } from 'zod';
import { faults, type FaultCode } from '#src/contracts/faults.ts';
import { ingestion } from '#src/contracts/ingestion.ts';
import { Problem } from '#src/contracts/resources/problem.ts';
import type { Route } from '#src/contracts/route.ts';
import { service } from '#src/contracts/service.ts';

type Json = Record<string, unknown>;

const everywhere: readonly FaultCode[] = [
  'request.malformed',
  'request.invalid',
  'auth.unauthorized',
  'auth.forbidden',
  'request.rate_limited',
  'service.internal',
  'service.unavailable',
];
const withBody: readonly FaultCode[] = ['request.too_large', 'request.media_type'];

/** Turns zod's `$defs` into OpenAPI components, so that a shared shape is written once. */
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
  const rewritten = JSON.parse(JSON.stringify({ schema, $defs }).replaceAll('"#/$defs/', '"#/components/schemas/')) as {
    schema: Json;
    $defs?: Record<string, Json>;
  };
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
      const { description, ...rest } = schema;
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
  const codes = [...everywhere, ...(row.body === undefined ? [] : withBody), ...row.faults];
  const byStatus = Map.groupBy(codes, (code) => faults[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, ofStatus]) => [
        String(status),
        {
          description: [...new Set(ofStatus)].map((code) => `\`${code}\`: ${faults[code].title}`).join('. '),
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      ]),
  );
}

function operation(row: Route, components: Json): Json {
  const media = row.stream === true ? 'text/event-stream' : 'application/json';
  const content = { [media]: { schema: schemaOf(row.reply, 'output', components) } };
  const success = (description: string): Json => ({ description, content });
  return {
    operationId: row.id,
    summary: row.summary,
    security: [{ apiKey: [] }],
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

/** The machine-readable description of the key-authenticated API, OpenAPI 3.1. Source: specification §4.2, §9. */
export function buildOpenApi(version: string, serverUrl: string): Json {
  const components: Json = {};
  schemaOf(Problem, 'output', components);
  const paths: Record<string, Json> = {};
  for (const row of [...Object.values(ingestion), ...Object.values(service)] as Route[]) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(row, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inkgraph service API',
      version,
      description:
        'Ingestion with workflow keys and orchestration with service keys. Document visibility: `private` documents are readable by credentials of their project only, `public` ones by every project of the organization. Errors are RFC 9457 problem details. Changes are additive: unknown members of replies are to be ignored.',
    },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    },
  };
}
