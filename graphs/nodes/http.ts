import { z } from 'zod';
import { ChannelName } from '#src/contracts/resources/graph.ts';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { reasonOfStatus } from '#src/domain/failure-reason.ts';
import { derivedId } from '#src/domain/ids.ts';
import { redactJson, redactor } from '#src/domain/redact.ts';
import type { OutboundAnswer } from '#src/domain/ports/outbound.ts';
import { configRefs, hasRefs } from '#graphs/expression/config.ts';
import { FieldPointer, pickFields } from '#graphs/expression/fields.ts';
import { outputOf } from '#graphs/models/config-fields.ts';
import { defineNode, type NodeCall } from '#graphs/define.ts';

/** Largest response body in the state of the run, in bytes. */
const maxKept = 32 * 1024;

const mostFields = 16;

const Params = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('HTTP method'),
  url: z
    .string()
    .min(1)
    .max(4_000)
    .describe(
      'URL; path and query can contain {{ expression }}, which is percent-encoded; scheme, host and port must be constant',
    ),
  headers: z
    .record(z.string().max(200), z.string().max(8_192))
    .default({})
    .describe('Request headers; a value can be { "$secret": "NAME" }'),
  body: z.unknown().optional().describe('Request body, sent as JSON; values can be { "$expr": "<expression>" }'),
  timeoutMs: z
    .int()
    .min(100)
    .max(300_000)
    .default(30_000)
    .describe('Time limit for the whole response, in milliseconds'),
  maxBytes: z
    .int()
    .min(1)
    .max(10_485_760)
    .default(262_144)
    .describe('Largest response in bytes; a larger one fails the node'),
  expectStatus: z
    .array(z.int().min(100).max(599))
    .max(20)
    .default([])
    .describe('Accepted status codes; default: 200 to 299'),
  parse: z.enum(['json', 'text']).default('json').describe('Format of the response body; text is cut at 32 KiB'),
  fields: z
    .array(FieldPointer)
    .max(mostFields)
    .default([])
    .describe(
      'JSON Pointers, such as /id, of the parts of the response body to keep: texts of at most 1 KiB, numbers, booleans. A call with a secret keeps its status and these parts only',
    ),
  output: ChannelName.default('response').describe(
    'Channel for { status, contentType, body }; with a secret: { status }, and { body } with the parts in "fields"',
  ),
});
type Call = NodeCall<z.output<typeof Params>>;

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

/** Builds the URL. Inserted values can change path segments and query values only. Throws `outbound.refused`. */
async function addressOf({ params, state, computing }: Call): Promise<string> {
  const [, origin] = /^(https?:\/\/[^/?#\\{}\s]+)(?:[/?#]|$)/i.exec(params.url) ?? [];
  if (origin === undefined)
    throw new AppError(
      'outbound.refused',
      'Scheme and host of "url" must be constant. Write them out, as in https://host/{{ path }}.',
    );
  const rest = await computing.fill(params.url.slice(origin.length), state, (value) =>
    encodeURIComponent(asText(value).toWellFormed()),
  );
  const [path = ''] = rest.split(/[?#]/, 1);
  if (path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)))
    throw new AppError(
      'outbound.refused',
      'A value in the path of "url" is "." or "..", which would change the path. Use another value.',
    );
  return `${origin}${rest}`;
}

function bodyOf({ body, headers }: z.output<typeof Params>): { body?: string; headers: Record<string, string> } {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (body === undefined) return { headers };
  if (typeof body === 'string' && type !== undefined && !type.includes('json')) return { body, headers };
  return {
    body: JSON.stringify(body),
    headers: { ...(type === undefined && { 'content-type': 'application/json' }), ...headers },
  };
}

/** Seconds of `Retry-After`, which can be a date; none if the header is invalid. Source: RFC 9110 §10.2.3. */
function retryAfter(text: string | undefined): { retryAfterSeconds?: number } {
  if (text === undefined) return {};
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, seconds) } : {};
}

function checkStatus({ status, headers }: OutboundAnswer, expected: readonly number[], carriesSecret: boolean): void {
  if (expected.length > 0 ? expected.includes(status) : status >= 200 && status < 300) return;
  if ([408, 425, 429].includes(status) || status >= 500)
    throw new AppError(
      'outbound.failed',
      `The external service responded with status ${status}.`,
      // A service could put digits of the secret there.
      { reason: reasonOfStatus(status), ...(!carriesSecret && retryAfter(headers['retry-after'])) },
    );
  const hint = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  const refused = [401, 403, 407].includes(status);
  throw new AppError('outbound.unexpected', `The external service responded with status ${status}.${hint}`, {
    reason: refused ? reasonOfStatus(status) : undefined,
  });
}

/** Headers that hold credentials even without `$secret`; the runner redacts only values of `$secret`. */
const credentials = /auth|cookie|token|secret|key|password|signature/i;

/** The part of the response that may be kept. The response to a secret can contain it in any disguise. Source: docs/decisions/0089. */
function contentOf(answer: OutboundAnswer, call: Call): Record<string, unknown> {
  const { fields } = call.params;
  if (fields.length > 0) return { body: pickFields(parsedJson(answer.body.toString('utf8')), fields) };
  return call.secrets.length > 0 ? {} : wholeContentOf(answer, call);
}

function parsedJson(text: string): unknown {
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    // The parser's message quotes the response, so it is not passed on.
    throw new AppError(
      'outbound.unexpected',
      'The response of the external service is not JSON. Set "parse" to "text", without "fields".',
    );
  }
}

function wholeContentOf({ body, headers }: OutboundAnswer, { params }: Call): Record<string, unknown> {
  const sent = Object.entries(params.headers).flatMap(([name, value]) => (credentials.test(name) ? [value] : []));
  const redact = redactor(sent);
  const text = body.toString('utf8');
  const contentType = redact(headers['content-type'] ?? '').slice(0, 200);
  if (params.parse === 'text') {
    const clean = redact(text);
    const cut = Buffer.from(clean).subarray(0, maxKept).toString('utf8');
    return cut.length < clean.length
      ? { contentType, body: cut.replace(/\uFFFD$/, ''), truncated: true }
      : { contentType, body: clean };
  }
  const value = redactJson(parsedJson(text), redact);
  if (Buffer.byteLength(JSON.stringify(value)) <= maxKept) return { contentType, body: value };
  throw new AppError(
    'outbound.unexpected',
    `The response is larger than ${maxKept / 1_024} KiB of JSON. Request less.`,
  );
}

/** Value of the channel by config. A call with a secret keeps the named fields only. */
function responseOf(config: Readonly<Record<string, unknown>>): z.ZodType {
  const { fields, parse } = config;
  const status = z.int().min(100).max(599);
  const isKnown = fields === undefined || (Array.isArray(fields) && !hasRefs(fields));
  if (!isKnown || hasRefs(parse)) return z.looseObject({ status });
  if (Array.isArray(fields) && fields.length > 0) return z.object({ status, body: z.unknown() });
  if (configRefs(config).secrets.length > 0) return z.object({ status });
  const body = parse === 'text' ? z.string() : z.unknown();
  return z.object({
    status,
    contentType: z.string(),
    body,
    ...(parse === 'text' && { truncated: z.literal(true).optional().describe('Present if the text was cut') }),
  });
}

export const http = defineNode({
  type: 'http',
  version: 1,
  summary: 'Call an external service at a host that the operator allows',
  params: Params,
  reads: [],
  writes: [],
  channels: ({ output = 'response' }) => ({ writes: typeof output === 'string' ? [output] : [] }),
  outputs: (config) => Object.fromEntries(outputOf(config, 'response').map((channel) => [channel, responseOf(config)])),
  templates: ['url'],
  secrets: ['headers', 'body'],
  address: 'url',
  pure: false,
  defaultTimeoutMs: 310_000,
  example: {
    method: 'POST',
    url: 'https://erp.example.com/receipts/{{ documentId }}',
    headers: { 'x-source': 'inkgraph' },
    body: { total: { $expr: 'fields.total' } },
  },
  async run(call) {
    const { deps, run, path, params, signal } = call;
    const url = await addressOf(call);
    const { body, headers } = bodyOf(params);
    const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    // A step repeated after a crash sends the same key, so a service that supports the header acts once.
    const key = derivedId('request', run.runId, path, canonicalHash([params.method, url, body ?? null]));
    const once = params.method !== 'GET' && !named.has('idempotency-key') ? { 'idempotency-key': key } : {};
    const answer = await deps.outbound.send({
      method: params.method,
      url,
      headers: { ...once, ...headers },
      ...(body !== undefined && { body }),
      maxBytes: params.maxBytes,
      timeoutMs: params.timeoutMs,
      signal,
    });
    checkStatus(answer, params.expectStatus, call.secrets.length > 0);
    return { update: { [params.output]: { status: answer.status, ...contentOf(answer, call) } } };
  },
});
