import { resolve } from 'node:path';
import { ConfigError, readEnv, type EnvValues, type ServiceName } from '#src/config/env.ts';

export interface Config {
  readonly dataDir: string;
  readonly host: string;
  readonly ports: { readonly api: number; readonly agents: number; readonly mcp: number; readonly objects: number };
  readonly metricsPort: number | null;
  readonly services: ReadonlySet<ServiceName>;
  readonly baseUrl: string | null;
  readonly mcpUrl: string | null;
  /** null: the seeded one. */
  readonly mcpKey: string | null;
  /** null: our own authorization server. */
  readonly oauthIssuer: string | null;
  readonly objectsUrl: string | null;
  readonly allowedHosts: readonly string[];
  readonly dashboard: {
    /** Beside the base URL's. */
    readonly origins: readonly string[];
    readonly signUp: 'open' | 'invited';
    /** null: no seeded session. `token` null: one is made. */
    readonly debug: { readonly token: string | null } | null;
    /** DASHBOARD_SESSION_TOKEN was set, and is not used. */
    readonly tokenIgnored: boolean;
  };
  readonly trustedProxies: readonly string[];
  readonly mongodbUri: string | null;
  readonly uploads: { readonly maxBytes: number; readonly signContentType: boolean };
  readonly models: {
    readonly openAiKey: string | null;
    readonly openAiBaseUrl: string | null;
    readonly visionModel: string;
    readonly chatModel: string;
    readonly embeddingModel: string;
  };
  /** null: only the local engine. */
  readonly segmentation: {
    readonly url: string;
    readonly provider: 'vllm' | 'roboflow' | 'fal' | 'replicate' | 'huggingface' | 'boxes';
    readonly model: string;
    readonly apiKey: string | null;
  } | null;
  /** What `createOutbound` takes as `allow`. */
  readonly outboundAllow: readonly string[];
  /** 32 bytes; null: derive one from the installation's secret. */
  readonly secretsKey: Buffer | null;
  readonly search: { readonly mode: 'lexical' | 'hybrid' };
  readonly ocr: { readonly language: string; readonly workers: number | null };
  readonly runs: { readonly concurrency: number; readonly leaseMs: number; readonly maxDeaths: number };
  /** Requests a second of one key or session, 0: no limit; null: all limits are off. */
  readonly rateLimits: { readonly usual: number; readonly expensive: number } | null;
  readonly mcpLegacy: 'sessions' | 'stateless' | 'reject';
  readonly logLevel: string;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Its session is known to whoever reads the environment, or what the program prints. */
function refusePublicDebug({ NODE_ENV, HOST, BASE_URL }: EnvValues): void {
  if (NODE_ENV === 'production')
    throw new ConfigError('API_DEBUG=true opens a seeded session: unset it under NODE_ENV=production.');
  if (!loopback.test(HOST))
    throw new ConfigError(`API_DEBUG=true opens a seeded session on this machine only: unset it, or HOST=${HOST}.`);
  if (BASE_URL !== undefined && !loopback.test(new URL(BASE_URL).hostname))
    throw new ConfigError('API_DEBUG=true opens a seeded session on this machine only: unset it, or BASE_URL.');
}

/** The environment, nested and cross-checked. Throws ConfigError with the way out. */
export function loadConfig(source: Readonly<Record<string, string | undefined>>): Config {
  const values = readEnv(source);
  if (values.NODE_ENV === 'production' && values.MONGODB_URI === undefined && values.EMBEDDED_DB === undefined)
    throw new ConfigError(
      'NODE_ENV=production needs MONGODB_URI: the embedded database is for one machine. Set EMBEDDED_DB=allow to use it all the same.',
    );
  const ports = [values.API_PORT, values.AGENTS_PORT, values.MCP_PORT, values.OBJECTS_PORT].filter(
    (port) => port !== 0,
  );
  if (new Set(ports).size !== ports.length)
    throw new ConfigError('API_PORT, AGENTS_PORT, MCP_PORT and OBJECTS_PORT must differ.');
  if (values.API_DEBUG) refusePublicDebug(values);
  return {
    dataDir: resolve(values.DATA_DIR),
    host: values.HOST,
    ports: { api: values.API_PORT, agents: values.AGENTS_PORT, mcp: values.MCP_PORT, objects: values.OBJECTS_PORT },
    metricsPort: values.METRICS_PORT ?? null,
    services: new Set(values.SERVICES),
    baseUrl: values.BASE_URL?.replace(/\/+$/, '') ?? null,
    mcpUrl: values.MCP_URL?.replace(/\/+$/, '') ?? null,
    mcpKey: values.MCP_KEY ?? null,
    oauthIssuer: values.OAUTH_ISSUER ?? null,
    objectsUrl: values.OBJECTS_URL?.replace(/\/+$/, '') ?? null,
    allowedHosts: (values.ALLOWED_HOSTS ?? '')
      .split(',')
      .map((host) => host.trim())
      .filter((host) => host !== ''),
    dashboard: {
      origins: values.DASHBOARD_ORIGINS,
      signUp: values.SIGN_UP,
      debug: values.API_DEBUG ? { token: values.DASHBOARD_SESSION_TOKEN ?? null } : null,
      tokenIgnored: !values.API_DEBUG && values.DASHBOARD_SESSION_TOKEN !== undefined,
    },
    trustedProxies: values.TRUSTED_PROXIES,
    mongodbUri: values.MONGODB_URI ?? null,
    uploads: { maxBytes: values.UPLOAD_MAX_BYTES, signContentType: values.UPLOAD_SIGN_CONTENT_TYPE },
    models: {
      openAiKey: values.OPENAI_API_KEY ?? null,
      openAiBaseUrl: values.OPENAI_BASE_URL ?? null,
      visionModel: values.VISION_MODEL,
      chatModel: values.CHAT_MODEL,
      embeddingModel: values.EMBEDDING_MODEL,
    },
    segmentation:
      values.SEGMENTATION_URL === undefined
        ? null
        : {
            url: values.SEGMENTATION_URL,
            provider: values.SEGMENTATION_PROVIDER,
            model: values.SEGMENTATION_MODEL,
            apiKey: values.SEGMENTATION_API_KEY ?? null,
          },
    outboundAllow: values.OUTBOUND_ALLOW,
    secretsKey: values.SECRETS_KEY === undefined ? null : Buffer.from(values.SECRETS_KEY, 'base64'),
    search: { mode: values.DOCUMENT_SEARCH_MODE },
    ocr: { language: values.OCR_LANGUAGE, workers: values.OCR_WORKERS === 0 ? null : values.OCR_WORKERS },
    runs: { concurrency: values.RUN_CONCURRENCY, leaseMs: values.RUN_LEASE_MS, maxDeaths: values.RUN_MAX_DEATHS },
    rateLimits:
      values.RATE_LIMITS === 'off'
        ? null
        : { usual: values.RATE_LIMIT_PER_SECOND, expensive: values.RATE_LIMIT_EXPENSIVE_PER_SECOND },
    mcpLegacy: values.MCP_LEGACY,
    logLevel: values.LOG_LEVEL,
  };
}
