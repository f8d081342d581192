import { z } from 'zod';
import { ChannelName } from '#src/contracts/resources/graph.ts';
import { canonicalHash } from '#src/domain/canonical-json.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId } from '#src/domain/ids.ts';
import { redactJson, redactor } from '#src/domain/redact.ts';
import type { OutboundAnswer } from '#src/domain/ports/outbound.ts';
import { defineNode, type NodeCall } from '#graphs/define.ts';
import { parseTemplate } from '#graphs/expression/template.ts';

/** Of the answer, in the state of the run. */
const maxKept = 32 * 1024;

const Params = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET').describe('HTTP method'),
  url: z
    .string()
    .min(1)
    .max(4_000)
    .describe(
      'Address; scheme, host and port as they are, path and query may hold {{ expression }}, which is percent-encoded',
    ),
  headers: z
    .record(z.string().max(200), z.string().max(8_192))
    .default({})
    .describe('Headers; a value may be { "$secret": "NAME" }'),
  body: z.unknown().optional().describe('Sent as JSON; values may be { "$expr": "<expression>" }'),
  timeoutMs: z.int().min(100).max(300_000).default(30_000).describe('Until the whole answer is there, in milliseconds'),
  maxBytes: z.int().min(1).max(10_485_760).default(262_144).describe('Bytes of an answer beyond which the call fails'),
  expectStatus: z
    .array(z.int().min(100).max(599))
    .max(20)
    .default([])
    .describe('Statuses that are no failure; none named: 200 to 299'),
  parse: z.enum(['json', 'text']).default('json').describe('How the body of the answer is read; text is cut at 32 KiB'),
  output: ChannelName.default('response').describe('Channel for { status, contentType, body }'),
});
type Call = NodeCall<z.output<typeof Params>>;

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

/** Values fill path and query only, and cannot leave the place they stand in. Throws `outbound.refused`. */
function addressOf({ params, state }: Call): string {
  const [, origin] = /^(https?:\/\/[^/?#\\{}\s]+)(?:[/?#]|$)/i.exec(params.url) ?? [];
  if (origin === undefined)
    throw new AppError('outbound.refused', 'url: scheme and host must be written out: https://host/{{ path }}.');
  const rest = parseTemplate(params.url.slice(origin.length)).fill(state, (value) =>
    encodeURIComponent(asText(value).toWellFormed()),
  );
  const [path = ''] = rest.split(/[?#]/, 1);
  if (path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)))
    throw new AppError('outbound.refused', 'url: a part of the path came out as "." or "..", which leads elsewhere.');
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

/** Seconds of `Retry-After`, which may be a date; undefined when it says nothing usable. Source: RFC 9110 §10.2.3. */
function retryAfter(text: string | undefined): { retryAfterSeconds?: number } {
  if (text === undefined) return {};
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, seconds) } : {};
}

function checkStatus({ status, headers }: OutboundAnswer, expected: readonly number[]): void {
  if (expected.length > 0 ? expected.includes(status) : status >= 200 && status < 300) return;
  if ([408, 425, 429].includes(status) || status >= 500)
    throw new AppError(
      'outbound.failed',
      `The outside service answered ${status}.`,
      retryAfter(headers['retry-after']),
    );
  const hint = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  throw new AppError('outbound.unexpected', `The outside service answered ${status}.${hint}`);
}

/** Headers whose values are credentials, also where no `$secret` stands: the runner knows of those only. */
const credentials = /auth|cookie|token|secret|key|password|signature/i;

function contentOf({ body, headers }: OutboundAnswer, call: Call): Record<string, unknown> {
  const { params } = call;
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
  let value: unknown;
  try {
    value = text === '' ? null : redactJson(JSON.parse(text), redact);
  } catch {
    // What the parser says quotes the text.
    throw new AppError(
      'outbound.unexpected',
      'The outside service answered with something else than JSON: set "parse" to "text".',
    );
  }
  if (Buffer.byteLength(JSON.stringify(value)) <= maxKept) return { contentType, body: value };
  throw new AppError(
    'outbound.unexpected',
    `The answer is larger than ${maxKept / 1_024} KiB of JSON: ask for less of it.`,
  );
}

export const http = defineNode({
  type: 'http',
  version: 1,
  summary: 'Call a service outside, at an address that the operator has listed',
  params: Params,
  reads: [],
  writes: [],
  channels: ({ output = 'response' }) => ({ writes: typeof output === 'string' ? [output] : [] }),
  templates: ['url'],
  secrets: ['headers', 'body'],
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
    const url = addressOf(call);
    const { body, headers } = bodyOf(params);
    const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    // A step that runs again after a crash sends it again: a service that knows the header acts once.
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
    checkStatus(answer, params.expectStatus);
    return { update: { [params.output]: { status: answer.status, ...contentOf(answer, call) } } };
  },
});
