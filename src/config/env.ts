import { InkgraphError } from '#src/domain/app-error.ts';
import { z } from 'zod';
import { hostLines, httpUrl, originLines, proxyLines, redisUrl, rootUrl } from '#src/config/address-shapes.ts';
import { accessRows } from '#src/config/access.ts';
import { earlierKeys, secretsKey } from '#src/config/key-shapes.ts';
import { traceRows } from '#src/config/traces.ts';
import { pageRows } from '#src/config/pages.ts';
import { searchRows } from '#src/config/search.ts';
import { codeAndPageRows } from '#src/config/code-and-pages.ts';
import { limits } from '#src/contracts/fields.ts';

/** One environment variable: parser and description. Values of `secret` variables are masked wherever they are shown. */
interface EnvRow {
  readonly schema: z.ZodType;
  readonly doc: string;
  readonly secret?: boolean;
}

const portNumber = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a port number, 0..65535')
  .transform(Number)
  .pipe(z.int().min(0).max(65_535));
const port = (fallback: number) => portNumber.default(fallback);
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
const count = (fallback: number, min: number, max: number) => whole(min, max).default(fallback);
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .default(false);
const serviceNames = ['api', 'agents', 'mcp'] as const;
export type ServiceName = (typeof serviceNames)[number];
const services = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(serviceNames)).min(1))
  .prefault('api,agents,mcp');

/** All environment variables of Inkgraph. No other variable is read. */
export const env = {
  DATA_DIR: { schema: z.string().min(1).default('./data'), doc: 'Folder of the embedded database and object store' },
  HOST: { schema: z.string().min(1).default('127.0.0.1'), doc: 'Address that all listeners bind to' },
  API_PORT: { schema: port(3000), doc: 'API listener; 0 takes any free port' },
  AGENTS_PORT: { schema: port(3001), doc: 'Agents service listener (health, metrics)' },
  MCP_PORT: { schema: port(3002), doc: 'MCP listener' },
  OBJECTS_PORT: { schema: port(3003), doc: 'Listener of the disk object store: presigned PUT and GET' },
  METRICS_PORT: {
    schema: portNumber.optional(),
    doc: 'Port of an extra loopback listener for /metrics, for processes without the agents service',
  },
  METRICS_TOKEN: {
    schema: z.string().min(16).max(256).optional(),
    doc: 'Bearer token for /metrics and the details of /health from other machines; without it only this machine sees them',
    secret: true,
  },
  SERVICES: { schema: services, doc: 'Services of this process, comma-separated: api, agents, mcp' },
  DRAIN_SECONDS: {
    schema: count(2, 0, 600),
    doc: 'Seconds that a process serves on after SIGTERM, with /readyz at 503, so that a load balancer notices before it closes; a stop takes up to 8 s more',
  },
  BASE_URL: {
    schema: rootUrl(
      'https://ink.example.com: serve the API at the root of a host name, since it does not work below a path',
    ).optional(),
    doc: 'Public address of the API, without a path, when it is not http://HOST:API_PORT; passkeys need https and a host name, or localhost',
  },
  MCP_URL: {
    schema: rootUrl('https://mcp.example.com: leave out /mcp, which the service appends').optional(),
    doc: 'Public address of the MCP service, without /mcp, when it is not http://HOST:MCP_PORT; the audience of access tokens',
  },
  OAUTH_ISSUER: {
    schema: httpUrl.optional(),
    doc: 'Issuer URL of an external authorization server; MCP then accepts its JWT access tokens instead of our own',
  },
  MCP_KEY: {
    schema: z
      .string()
      .regex(/^ink_svc_[0-9A-Za-z]{38}$/, 'expected a service key, ink_svc_...')
      .optional(),
    doc: 'Service key of `npm run mcp:stdio`, `npm run mcp` and LangGraph Studio; default: the agent key of `npm run seed`',
    secret: true,
  },
  OBJECTS_URL: {
    schema: httpUrl.optional(),
    doc: 'Public address of the disk object store, when it is not http://HOST:OBJECTS_PORT',
  },
  DASHBOARD_ORIGINS: {
    schema: originLines,
    doc: 'Origins whose pages may use sessions, in addition to that of BASE_URL, comma-separated, e.g. http://localhost:5173',
  },
  SIGN_UP: {
    schema: z.enum(['open', 'invited']).default('open'),
    doc: 'open: anyone can create an account with its own organization; invited: only invited people can',
  },
  SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/, error: 'expected smtp://user:password@host:587 or smtps://...' }).optional(),
    doc: 'Mail server: sign-up is then confirmed by mail, passwords are reset and invitations sent by mail; default: no mail is sent',
    secret: true,
  },
  MAIL_FROM: {
    schema: z
      .string()
      .max(320)
      .regex(
        /^([^<>\r\n]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
        'expected name@example.com or Name <name@example.com>',
      )
      .optional(),
    doc: 'Sender of mails, such as Inkgraph <no-reply@example.com>; required with SMTP_URL',
  },
  API_DEBUG: {
    schema: flag,
    doc: 'true creates a user, an organization and a session with the token DASHBOARD_SESSION_TOKEN; on this machine only, never in production',
  },
  DASHBOARD_SESSION_TOKEN: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9._~%+/=-]{16,256}$/, 'expected 16 to 256 letters, digits and . _ ~ % + / = -')
      .optional(),
    doc: 'Token of the seeded session, accepted as the cookie while API_DEBUG=true; generated and printed when unset',
    secret: true,
  },
  ...codeAndPageRows,
  TRUSTED_PROXIES: {
    schema: proxyLines,
    doc: 'Reverse proxies whose X-Forwarded-For is trusted, comma-separated: addresses, ranges, loopback; without it all clients behind one proxy share its rate limits',
  },
  ...accessRows,
  MONGODB_URI: {
    schema: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, 'expected mongodb:// or mongodb+srv://')
      .optional(),
    doc: 'Connection string of a MongoDB server; default: the embedded engine',
    secret: true,
  },
  REDIS_URL: {
    schema: redisUrl.optional(),
    doc: 'Redis 6.2 or newer that several processes share, redis://user:password@host:6379/0 or rediss://...: wake-ups, sessions, rate limits and realtime at once; default: none, each process works by itself',
    secret: true,
  },
  EMBEDDED_DB: {
    schema: z.literal('allow').optional(),
    doc: 'allow: use the embedded engine under NODE_ENV=production',
  },
  S3_BUCKET: {
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'expected the name of a bucket, such as inkgraph-uploads')
      .optional(),
    doc: 'Bucket that uploads are stored in; default: the disk object store in DATA_DIR',
  },
  S3_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: 'Address of an S3-compatible service; default: Amazon S3 in S3_REGION',
  },
  S3_PUBLIC_URL: {
    schema: httpUrl.optional(),
    doc: 'Address of the S3 service for uploaders and browsers, when it is not S3_ENDPOINT',
  },
  S3_REGION: { schema: z.string().min(1).max(64).default('us-east-1'), doc: 'Region of the bucket' },
  S3_ACCESS_KEY_ID: {
    schema: z.string().min(1).max(256).optional(),
    doc: 'Access key of the bucket, with S3_SECRET_ACCESS_KEY; default: the credentials of the machine, as the AWS SDK finds them',
    secret: true,
  },
  S3_SECRET_ACCESS_KEY: {
    schema: z.string().min(1).max(256).optional(),
    doc: 'Secret of S3_ACCESS_KEY_ID',
    secret: true,
  },
  S3_FORCE_PATH_STYLE: {
    schema: flag,
    doc: 'true: the bucket is part of the path of addresses, as most services beside Amazon S3 want it',
  },
  S3_SIGN_WRITE_ONCE: {
    schema: flag,
    doc: 'true: an upload must send If-None-Match: *, and its address stores one file, where the S3 service can',
  },
  UPLOAD_MAX_BYTES: { schema: count(50 * 1024 * 1024, 1, 2 ** 31), doc: 'Largest upload in bytes' },
  UPLOAD_SIGN_CONTENT_TYPE: { schema: flag, doc: 'true: an upload must send the declared content type' },
  DISK_MIN_FREE_BYTES: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Free bytes on the disk of DATA_DIR below which uploads get 507 storage.full; default: 1 GiB, or 2 % of a smaller disk; 0: no limit',
  },
  QUOTA_ORGANIZATION_BYTES: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Bytes that one organization can store, with uploads that are not acknowledged yet; default: no limit',
  },
  QUOTA_ORGANIZATION_OBJECTS: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Documents that one organization can store, with uploads that are not acknowledged yet; default: no limit',
  },
  QUOTA_PROJECT_BYTES: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Bytes that one project can store, with uploads that are not acknowledged yet; default: no limit',
  },
  QUOTA_PROJECT_OBJECTS: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Documents that one project can store, with uploads that are not acknowledged yet; default: no limit',
  },
  QUOTA_KEY_BYTES: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Bytes that one API key can store, with uploads that are not acknowledged yet; default: no limit',
  },
  QUOTA_KEY_OBJECTS: {
    schema: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    doc: 'Documents that one API key can store, with uploads that are not acknowledged yet; default: no limit',
  },
  RETENTION_EVENTS_DAYS: {
    schema: count(1, 1, 36_500),
    doc: 'Days that events of the realtime feeds are kept; of each organization, at most about 10,000 are',
  },
  RETENTION_DELIVERIES_DAYS: { schema: count(30, 1, 36_500), doc: 'Days that webhook deliveries are kept' },
  RETENTION_CHECKPOINTS_DAYS: {
    schema: count(1, 1, 36_500),
    doc: 'Days after the end of a run until a checkpoint that it left behind is deleted; most go at the end of the run',
  },
  RETENTION_NODE_CACHE_DAYS: {
    schema: count(30, 1, 36_500),
    doc: 'Days that outcomes of pure nodes are kept for later runs, from the day they are stored',
  },
  RETENTION_RUNS_DAYS: {
    schema: whole(2, 36_500).optional(),
    doc: 'Days that finished executions are kept with their runs and steps; documents and results stay; default: for ever',
  },
  RETENTION_EXPERIMENT_RUNS_DAYS: {
    schema: count(30, 2, 36_500),
    doc: 'Days that runs of experiments and drafts are kept',
  },
  RETENTION_TRASH_DAYS: {
    schema: count(30, 1, 36_500),
    doc: 'Days that documents stay in the trash until they are deleted permanently',
  },
  RETENTION_AUDIT_DAYS: { schema: whole(30, 36_500).optional(), doc: 'Days of the audit log; default: for ever' },
  OPENAI_API_KEY: {
    schema: z.string().min(1).optional(),
    doc: 'API key of an OpenAI-compatible provider; default: local models',
    secret: true,
  },
  OPENAI_BASE_URL: { schema: httpUrl.optional(), doc: 'Base URL of an OpenAI-compatible provider' },
  VISION_MODEL: { schema: z.string().min(1).default('gpt-4.1-mini'), doc: 'Model that describes documents' },
  CHAT_MODEL: {
    schema: z.string().min(1).default('gpt-4.1-mini'),
    doc: 'Model of the nodes llm, agent, classify and extract, unless the workflow names one',
  },
  EMBEDDING_MODEL: { schema: z.string().min(1).default('text-embedding-3-small'), doc: 'Model that embeds text' },
  ...searchRows,
  OUTBOUND_ALLOW: {
    schema: hostLines,
    doc: 'Hosts that http nodes may call, comma-separated: host, host:port, *.example.com; an entry such as 127.0.0.1:9000 also allows webhooks to that private address',
  },
  INSTALLATION_SECRET: {
    schema: secretsKey.optional(),
    doc: 'Secret that signs sessions, links and object addresses, 32 bytes in base64: the same for all processes of an installation; default: a file in the data folder',
    secret: true,
  },
  SECRETS_KEY: {
    schema: secretsKey.optional(),
    doc: 'Key that encrypts project secrets, 32 bytes in base64; default: a key from the data folder',
    secret: true,
  },
  SECRETS_KEY_PREVIOUS: {
    schema: earlierKeys.optional(),
    doc: 'Earlier values of SECRETS_KEY, comma-separated, which still open secrets and sign webhooks beside it; npm run secrets -- rotate',
    secret: true,
  },
  SEGMENTATION_URL: {
    schema: httpUrl.optional(),
    doc: 'Endpoint of a segmentation service, e.g. http://sam:8091/v1/images/segmentations; default: regions from layout and text',
  },
  SEGMENTATION_PROVIDER: {
    schema: z.enum(['vllm', 'roboflow', 'fal', 'replicate', 'huggingface', 'boxes']).default('vllm'),
    doc: 'Protocol of SEGMENTATION_URL; boxes: JSON request with image and prompt, response with boxes',
  },
  SEGMENTATION_MODEL: {
    schema: z.string().min(1).default('facebook/sam3'),
    doc: 'Model name, sent to the segmentation service and shown in results',
  },
  SEGMENTATION_API_KEY: {
    schema: z.string().min(1).optional(),
    doc: 'API key of the segmentation service',
    secret: true,
  },
  OCR_LANGUAGE: {
    schema: z
      .string()
      .regex(/^(?!auto\+)[a-z_]{2,20}(\+(?!auto\b)[a-z_]{2,20})*$/i)
      .default('eng'),
    doc: 'Tesseract language codes joined by +, for documents and workflows that name none; auto: the installed language that is found in the text',
  },
  OCR_WORKERS: {
    schema: count(0, 0, 16),
    doc: 'Tesseract workers; 0: one less than the CPU cores, from 1 to 4',
  },
  RUN_CONCURRENCY: {
    schema: count(4, 1, 64),
    doc: 'Runs that one agents process executes at the same time; from 2 on, one more for an organization that has none there while another one has several',
  },
  RUN_LEASE_MS: {
    schema: count(10_000, 500, 600_000),
    doc: 'Milliseconds that a run stays leased to a worker that does not renew the lease',
  },
  RUN_MAX_DEATHS: {
    schema: count(5, 3, 1_000),
    doc: 'Worker deaths in a row, without progress, after which a run fails as run.poisoned; after two it runs alone, so that only its own deaths count',
  },
  ORGANIZATION_RUN_CONCURRENCY: {
    schema: count(0, 0, 10_000),
    doc: 'Most runs of one organization that all agents processes together execute at the same time; 0: no limit, organizations take turns',
  },
  QUEUE_WAIT_SECONDS: {
    schema: count(60, 1, 1_000_000),
    doc: 'Seconds that a run may wait for a worker before /health says degraded',
  },
  NODE_COMPUTE_MS: {
    schema: count(100, 10, 60_000),
    doc: 'Milliseconds of computing time for expressions and templates in one visit to a node',
  },
  RUN_COMPUTE_MS: {
    schema: count(5_000, 10, 3_600_000),
    doc: 'Milliseconds of computing time for expressions and templates in one run',
  },
  ORGANIZATION_COMPUTE_MS_PER_MINUTE: {
    schema: count(30_000, 10, 3_600_000),
    doc: 'Milliseconds of computing time for expressions and templates of all runs of an organization in a minute, in each agents process',
  },
  ...pageRows,
  RATE_LIMITS: {
    schema: z.enum(['on', 'off']).default('on'),
    doc: 'off: no rate limits, also for sign-in and OAuth; for benchmarks',
  },
  RATE_LIMIT_PER_SECOND: {
    schema: count(limits.ratePerSecond, 0, 1_000_000),
    doc: 'Requests per second for each key or session, with bursts of twice as many; 0: no limit. A key can have its own limit: npm run keys -- create --rate',
  },
  RATE_LIMIT_EXPENSIVE_PER_SECOND: {
    schema: count(5, 0, 1_000_000),
    doc: 'Expensive calls per second for each key or session, such as executions and chat, with bursts of ten times as many; 0: no limit',
  },
  RATE_LIMIT_ADDRESS_PER_SECOND: {
    schema: count(50, 0, 1_000_000),
    doc: 'Requests per second without a valid credential of each address (IPv6: network of 64 bits), with bursts of twice as many; 0: no limit',
  },
  MAX_CONNECTIONS: {
    schema: count(2_000, 10, 1_000_000),
    doc: 'Open connections of this process; more get 503. Fewer if the limit of open files (ulimit -n) is low',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    schema: count(500, 0, 1_000_000),
    doc: 'Open connections of each address, except those of TRUSTED_PROXIES; more get 429; 0: no limit',
  },
  MCP_LEGACY: {
    schema: z.enum(['sessions', 'stateless', 'reject']).default('sessions'),
    doc: 'MCP clients older than protocol version 2026-07-28: sessions; stateless: each request by itself, without updates and questions to the user; reject',
  },
  LOG_LEVEL: {
    schema: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).optional(),
    doc: 'Lowest level that is logged; default: info, and warn where the log goes to a terminal',
  },
  ...traceRows,
  NODE_ENV: {
    schema: z.string().optional(),
    doc: 'production: start with the embedded database only under EMBEDDED_DB=allow',
  },
} as const satisfies Record<string, EnvRow>;

export type EnvName = keyof typeof env;
export type EnvValues = { readonly [Name in EnvName]: z.output<(typeof env)[Name]['schema']> };

/** A variable has an invalid value. The message is for the operator. */
export class ConfigError extends InkgraphError {}

/** Reads and checks all variables. An empty value counts as unset. Throws one ConfigError that lists every invalid variable. */
export function readEnv(source: Readonly<Record<string, string | undefined>>): EnvValues {
  const problems: string[] = [];
  const entries = Object.entries(env).map(([name, { schema }]) => {
    const given = source[name] === '' ? undefined : source[name];
    const parsed = schema.safeParse(given);
    if (!parsed.success) {
      const reason = parsed.error.issues.map((issue) => issue.message).join('; ');
      const shown = 'secret' in env[name as EnvName] ? '(secret)' : JSON.stringify(given);
      problems.push(`${name}=${shown}: ${reason}`);
    }
    return [name, parsed.data] as const;
  });
  if (problems.length > 0)
    throw new ConfigError(
      `Invalid environment: ${problems.join(' | ')}. Correct or unset it; docs/reference/config.md describes every variable.`,
    );
  return Object.fromEntries(entries) as unknown as EnvValues;
}
