import { isIP } from 'node:net';
import { z } from 'zod';
import { limits } from '#src/contracts/fields.ts';

/** One environment variable: its name, how it is read, what it means. `secret` values are masked wherever they are shown. */
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
const count = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(fallback);
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .default(false);
const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });

/** What stands between commas; empty parts do not count. */
const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** Hosts of the operator's list, without a scheme. */
const hostLines = commaList
  .pipe(
    z.array(
      z
        .string()
        .regex(
          /^((\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/i,
          'expected host, host:port, *.example.com or [IPv6]:port, comma-separated',
        ),
    ),
  )
  .prefault('');

/** Origins as browsers send them. */
const originLines = commaList
  .pipe(z.array(z.string().regex(/^https?:\/\/[a-z0-9.[\]:-]+$/i, 'expected origins such as https://app.example.com')))
  .prefault('');

const proxyNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxyLine(line: string): boolean {
  if (proxyNames.has(line)) return true;
  const [address = '', bits, ...more] = line.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** As express knows them. */
const proxyLines = commaList
  .pipe(z.array(z.string().refine(isProxyLine, 'expected addresses, ranges such as 10.0.0.0/8, or loopback')))
  .prefault('');

const serviceNames = ['api', 'agents', 'mcp'] as const;
export type ServiceName = (typeof serviceNames)[number];
const services = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(serviceNames)).min(1))
  .prefault('api,agents,mcp');

/** The whole environment of Inkgraph. A name that is not here is not read. */
export const env = {
  DATA_DIR: { schema: z.string().min(1).default('./data'), doc: 'Folder of the embedded database and object store' },
  HOST: { schema: z.string().min(1).default('127.0.0.1'), doc: 'Address all listeners bind to' },
  API_PORT: { schema: port(3000), doc: 'API listener; 0 takes any free port' },
  AGENTS_PORT: { schema: port(3001), doc: 'Agents service listener (health, metrics)' },
  MCP_PORT: { schema: port(3002), doc: 'MCP listener' },
  OBJECTS_PORT: { schema: port(3003), doc: 'Listener of the disk object store: presigned PUT and GET' },
  METRICS_PORT: {
    schema: portNumber.optional(),
    doc: 'Extra loopback listener for /metrics where the agents service does not run',
  },
  SERVICES: { schema: services, doc: 'Which of api, agents, mcp run in this process' },
  BASE_URL: { schema: httpUrl.optional(), doc: 'Public address of the API, when it is not http://HOST:API_PORT' },
  MCP_URL: {
    schema: httpUrl.optional(),
    doc: 'Public address of the MCP service, without /mcp, when it is not http://HOST:MCP_PORT; access tokens are for it',
  },
  OAUTH_ISSUER: {
    schema: httpUrl.optional(),
    doc: 'External authorization server whose JWT access tokens MCP takes instead of our own, by its issuer address',
  },
  MCP_KEY: {
    schema: z
      .string()
      .regex(/^ink_svc_[0-9A-Za-z]{38}$/, 'expected a service key, ink_svc_...')
      .optional(),
    doc: 'Service key that `npm run mcp:stdio` and `npm run mcp` act with; without it the one of `npm run seed` for agents',
    secret: true,
  },
  OBJECTS_URL: {
    schema: httpUrl.optional(),
    doc: 'Public address of the disk object store, when it is not http://HOST:OBJECTS_PORT',
  },
  DASHBOARD_ORIGINS: {
    schema: originLines,
    doc: 'Origins beside the one of BASE_URL whose pages may use sessions, comma-separated, e.g. http://localhost:5173',
  },
  SIGN_UP: {
    schema: z.enum(['open', 'invited']).default('open'),
    doc: 'open: everybody may make an account, with an organization of their own; invited: only who was invited',
  },
  API_DEBUG: {
    schema: flag,
    doc: 'true seeds a user, an organization and a session that DASHBOARD_SESSION_TOKEN opens; on this machine only, never in production',
  },
  DASHBOARD_SESSION_TOKEN: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9._~%+/=-]{16,256}$/, 'expected 16 to 256 letters, digits and . _ ~ % + / = -')
      .optional(),
    doc: 'Token of the seeded session, accepted as the cookie while API_DEBUG=true; made and printed when unset',
    secret: true,
  },
  TRUSTED_PROXIES: {
    schema: proxyLines,
    doc: 'Reverse proxies whose X-Forwarded-For tells the caller, comma-separated: addresses, ranges, loopback; without it all behind one proxy share its rate limits',
  },
  ALLOWED_HOSTS: { schema: z.string().optional(), doc: 'More host names that MCP requests may name, comma-separated' },
  MONGODB_URI: {
    schema: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, 'expected mongodb:// or mongodb+srv://')
      .optional(),
    doc: 'MongoDB to use instead of the embedded engine',
    secret: true,
  },
  EMBEDDED_DB: {
    schema: z.literal('allow').optional(),
    doc: 'Set to allow to run the embedded engine under NODE_ENV=production',
  },
  UPLOAD_MAX_BYTES: { schema: count(50 * 1024 * 1024, 1, 2 ** 31), doc: 'Largest upload in bytes' },
  UPLOAD_SIGN_CONTENT_TYPE: { schema: flag, doc: 'Whether an upload must carry the declared content type' },
  OPENAI_API_KEY: {
    schema: z.string().min(1).optional(),
    doc: 'Key of an OpenAI-compatible provider; without it the local models are used',
    secret: true,
  },
  OPENAI_BASE_URL: { schema: httpUrl.optional(), doc: 'Base URL of an OpenAI-compatible provider' },
  VISION_MODEL: { schema: z.string().min(1).default('gpt-4.1-mini'), doc: 'Model that describes documents' },
  CHAT_MODEL: {
    schema: z.string().min(1).default('gpt-4.1-mini'),
    doc: 'Model of the nodes llm, agent, classify and extract, where the workflow names none',
  },
  EMBEDDING_MODEL: { schema: z.string().min(1).default('text-embedding-3-small'), doc: 'Model that embeds text' },
  DOCUMENT_SEARCH_MODE: {
    schema: z.enum(['lexical', 'hybrid']).default('lexical'),
    doc: 'lexical searches words, phrases and identifiers; hybrid blends in the neighbours of the text embedding',
  },
  OUTBOUND_ALLOW: {
    schema: hostLines,
    doc: 'Hosts that http nodes may call, comma-separated: host, host:port, *.example.com; 127.0.0.1:9000 also opens that address to webhooks',
  },
  SECRETS_KEY: {
    schema: z
      .base64('expected base64')
      .refine((text) => Buffer.from(text, 'base64').length === 32, 'expected 32 bytes in base64')
      .optional(),
    doc: 'Key that project secrets are stored under, 32 bytes in base64; without it one from the data folder is used',
    secret: true,
  },
  SEGMENTATION_URL: {
    schema: httpUrl.optional(),
    doc: 'Endpoint of a segmentation service, e.g. http://sam:8091/v1/images/segmentations; without it regions come from layout and text',
  },
  SEGMENTATION_PROVIDER: {
    schema: z.enum(['vllm', 'roboflow', 'fal', 'replicate', 'huggingface', 'boxes']).default('vllm'),
    doc: 'Protocol of SEGMENTATION_URL; boxes is JSON with image and prompt, answered by boxes',
  },
  SEGMENTATION_MODEL: {
    schema: z.string().min(1).default('facebook/sam3'),
    doc: 'Model named to the segmentation service and in results',
  },
  SEGMENTATION_API_KEY: {
    schema: z.string().min(1).optional(),
    doc: 'Key of the segmentation service',
    secret: true,
  },
  OCR_LANGUAGE: {
    schema: z
      .string()
      .regex(/^[a-z_]{2,20}(\+[a-z_]{2,20})*$/i)
      .default('eng'),
    doc: 'Tesseract language codes joined by +',
  },
  OCR_WORKERS: {
    schema: count(0, 0, 16),
    doc: 'Tesseract workers; 0 takes one less than the cores, at least 1, at most 4',
  },
  RUN_CONCURRENCY: { schema: count(4, 1, 64), doc: 'Runs in flight at once in one agents process' },
  RUN_LEASE_MS: {
    schema: count(10_000, 500, 600_000),
    doc: 'How long a worker holds a run without a sign of life, in milliseconds',
  },
  RUN_MAX_DEATHS: {
    schema: count(10, 3, 1_000),
    doc: 'Deaths of its workers in a row, without getting further, after which a run fails as run.poisoned',
  },
  RATE_LIMITS: {
    schema: z.enum(['on', 'off']).default('on'),
    doc: 'off removes all rate limits, those of sign-in and OAuth too; for benchmarks',
  },
  RATE_LIMIT_PER_SECOND: {
    schema: count(limits.ratePerSecond, 0, 1_000_000),
    doc: 'Requests a second for each key or session, twice that at once; 0 sets no limit. A key may have its own: npm run keys -- create --rate',
  },
  RATE_LIMIT_EXPENSIVE_PER_SECOND: {
    schema: count(5, 0, 1_000_000),
    doc: 'Calls a second for each key or session that start or take much work, such as executions and chat; ten times that at once; 0 sets no limit',
  },
  MCP_LEGACY: {
    schema: z.enum(['sessions', 'stateless', 'reject']).default('sessions'),
    doc: 'How MCP clients before 2026-07-28 are served',
  },
  LOG_LEVEL: {
    schema: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
    doc: 'Least level that is logged',
  },
  NODE_ENV: { schema: z.string().optional(), doc: 'production refuses the embedded database unless EMBEDDED_DB=allow' },
} as const satisfies Record<string, EnvRow>;

export type EnvName = keyof typeof env;
export type EnvValues = { readonly [Name in EnvName]: z.output<(typeof env)[Name]['schema']> };

/** A broken variable, worded for the person who set it. */
export class ConfigError extends Error {}

/** Reads and checks all variables at once. Empty values count as unset. Throws ConfigError naming every broken one. */
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
      `Environment: ${problems.join(' | ')}. Correct it or unset it; docs/reference/config.md lists every variable.`,
    );
  return Object.fromEntries(entries) as unknown as EnvValues;
}
