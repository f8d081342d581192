import { resolve } from 'node:path';
import type { Quotas } from '#src/domain/access/quota.ts';
import { uselessHosts } from '#src/config/allowed-hosts.ts';
import { ConfigError, env, readEnv, type EnvValues, type ServiceName } from '#src/config/env.ts';
import { tracesOf, type TracesConfig } from '#src/config/traces.ts';
import { unknownNames } from '#src/config/unknown-names.ts';

/** Port of each listener. 0: any free one. */
export interface Ports {
  readonly api: number;
  readonly agents: number;
  readonly mcp: number;
  readonly objects: number;
}

export interface Config {
  readonly dataDir: string;
  /** Folder of the operator's own nodes, workflows and evaluators; null: there is none. */
  readonly workflowsDir: string | null;
  /** Steps show where an error of the operator's own code was thrown. */
  readonly showsStacks: boolean;
  readonly host: string;
  readonly ports: Ports;
  readonly metricsPort: number | null;
  /** null: metrics and details of health are for this machine only. */
  readonly metricsToken: string | null;
  readonly services: ReadonlySet<ServiceName>;
  /** Time between SIGTERM and the close of the listeners. */
  readonly drainMs: number;
  readonly baseUrl: string | null;
  readonly mcpUrl: string | null;
  /** null: the seeded service key. */
  readonly mcpKey: string | null;
  /** null: our own authorization server. */
  readonly oauthIssuer: string | null;
  readonly oauthClientMetadata: 'off' | 'on' | 'auto';
  readonly objectsUrl: string | null;
  /** As ALLOWED_HOSTS has them; `allowedHostsOf` adds those of the addresses. */
  readonly allowedHosts: readonly string[];
  readonly dashboard: {
    /** Allowed in addition to the origin of `baseUrl`. */
    readonly origins: readonly string[];
    readonly signUp: 'open' | 'invited';
    /** null: no seeded session. `token` null: a token is generated. */
    readonly debug: { readonly token: string | null } | null;
    /** DASHBOARD_SESSION_TOKEN is set without API_DEBUG=true, and so has no effect. */
    readonly tokenIgnored: boolean;
  };
  /** null: the API serves no dashboard. `dir` null: it is built here. */
  readonly web: { readonly dir: string | null; readonly mayBuild: boolean } | null;
  /** null: no mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  readonly trustedProxies: readonly string[];
  readonly mongodbUri: string | null;
  /** Redis that several processes share; null: none. */
  readonly redisUrl: string | null;
  readonly uploads: {
    readonly maxBytes: number;
    readonly signContentType: boolean;
    /** null: as `DiskSpaceOptions` says. 0: no limit. */
    readonly minFreeBytes: number | null;
  };
  /** null: uploads are stored in `dataDir`. */
  readonly s3: {
    readonly bucket: string;
    readonly endpoint: string | null;
    readonly publicUrl: string | null;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
    readonly forcePathStyle: boolean;
    readonly signWriteOnce: boolean;
  } | null;
  readonly quotas: Quotas;
  /** Ages in days at which records are deleted; null: never. */
  readonly retention: {
    readonly events: number;
    readonly deliveries: number;
    readonly checkpoints: number;
    readonly nodeCache: number;
    readonly experimentRuns: number;
    readonly trash: number;
    readonly runs: number | null;
    /** null: for ever. */
    readonly audit: number | null;
  };
  readonly models: {
    readonly openAiKey: string | null;
    readonly openAiBaseUrl: string | null;
    readonly visionModel: string;
    readonly chatModel: string;
    readonly embeddingModel: string;
    /** Local text embeddings. */
    readonly embeddings: 'lexical' | 'semantic';
  };
  /** null: regions come from the local engine only. */
  readonly segmentation: {
    readonly url: string;
    readonly provider: 'vllm' | 'roboflow' | 'fal' | 'replicate' | 'huggingface' | 'boxes';
    readonly model: string;
    readonly apiKey: string | null;
  } | null;
  /** Passed to `createOutbound` as `allow`. */
  readonly outboundAllow: readonly string[];
  /** 32 bytes; null: kept in the data folder. */
  readonly installationSecret: Buffer | null;
  /** 32 bytes; null: derived from the secret of the installation. */
  readonly secretsKey: Buffer | null;
  /** Earlier keys, newest first. */
  readonly secretsKeysPrevious: readonly Buffer[];
  readonly search: { readonly mode: 'lexical' | 'hybrid'; readonly quantization: 'none' | 'scalar' | 'binary' };
  readonly ocr: { readonly language: string; readonly workers: number | null };
  readonly runs: {
    readonly concurrency: number;
    readonly leaseMs: number;
    readonly maxDeaths: number;
    /** null: no limit. */
    readonly organizationConcurrency: number | null;
    readonly queueWaitSeconds: number;
  };
  /** Computing time for expressions and templates of users. */
  readonly compute: { readonly nodeMs: number; readonly runMs: number; readonly organizationMsPerMinute: number };
  /** Computing time for pages; null: no limit. */
  readonly pages: { readonly organizationMsPerMinute: number | null };
  /** Requests a second, 0: no limit; null: all limits are off. `address` is for requests without a credential. */
  readonly rateLimits: { readonly usual: number; readonly expensive: number; readonly address: number } | null;
  /** `perAddress` 0: no limit. */
  readonly connections: { readonly most: number; readonly perAddress: number };
  readonly mcpLegacy: 'sessions' | 'stateless' | 'reject';
  /** null: as the log's destination suggests. */
  readonly logLevel: string | null;
  /** null: nothing is traced. */
  readonly traces: TracesConfig | null;
  /** Variables and values that have no effect, in words for the operator. */
  readonly warnings: readonly string[];
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** The environment and the program's output reveal the token of the seeded session, so only this machine may reach it. */
function refusePublicDebug({ NODE_ENV, HOST, BASE_URL }: EnvValues): void {
  if (NODE_ENV === 'production')
    throw new ConfigError(
      'API_DEBUG=true opens a seeded session and is not allowed under NODE_ENV=production. Unset API_DEBUG.',
    );
  if (!loopback.test(HOST))
    throw new ConfigError(
      `API_DEBUG=true works on this machine only, and HOST=${HOST} is not a loopback address. Unset API_DEBUG or HOST.`,
    );
  if (BASE_URL !== undefined && !loopback.test(new URL(BASE_URL).hostname))
    throw new ConfigError(
      'API_DEBUG=true works on this machine only, and BASE_URL is not a loopback address. Unset API_DEBUG or BASE_URL.',
    );
}

function secretsOf(values: EnvValues): Pick<Config, 'installationSecret' | 'secretsKey' | 'secretsKeysPrevious'> {
  const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');
  const { INSTALLATION_SECRET: secret, SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: previous = [] } = values;
  return {
    installationSecret: secret === undefined ? null : bytesOf(secret),
    secretsKey: key === undefined ? null : bytesOf(key),
    secretsKeysPrevious: previous.map(bytesOf),
  };
}

function s3Of(values: EnvValues): Config['s3'] {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if (bucket === undefined) {
    if (values.S3_ENDPOINT !== undefined || accessKeyId !== undefined)
      throw new ConfigError(
        'S3_ENDPOINT and S3_ACCESS_KEY_ID need S3_BUCKET. Set it, or unset them to store uploads in DATA_DIR.',
      );
    return null;
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new ConfigError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together. Set both, or neither.');
  return {
    bucket,
    endpoint: values.S3_ENDPOINT?.replace(/\/+$/, '') ?? null,
    publicUrl: values.S3_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    region: values.S3_REGION,
    credentials: accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey },
    forcePathStyle: values.S3_FORCE_PATH_STYLE,
    signWriteOnce: values.S3_SIGN_WRITE_ONCE,
  };
}

function quotasOf(values: EnvValues): Quotas {
  return {
    organization: {
      bytes: values.QUOTA_ORGANIZATION_BYTES ?? null,
      objects: values.QUOTA_ORGANIZATION_OBJECTS ?? null,
    },
    project: { bytes: values.QUOTA_PROJECT_BYTES ?? null, objects: values.QUOTA_PROJECT_OBJECTS ?? null },
    key: { bytes: values.QUOTA_KEY_BYTES ?? null, objects: values.QUOTA_KEY_OBJECTS ?? null },
  };
}

function retentionOf(values: EnvValues): Config['retention'] {
  return {
    events: values.RETENTION_EVENTS_DAYS,
    deliveries: values.RETENTION_DELIVERIES_DAYS,
    checkpoints: values.RETENTION_CHECKPOINTS_DAYS,
    nodeCache: values.RETENTION_NODE_CACHE_DAYS,
    experimentRuns: values.RETENTION_EXPERIMENT_RUNS_DAYS,
    trash: values.RETENTION_TRASH_DAYS,
    runs: values.RETENTION_RUNS_DAYS ?? null,
    audit: values.RETENTION_AUDIT_DAYS ?? null,
  };
}

function segmentationOf({
  SEGMENTATION_URL: url,
  SEGMENTATION_PROVIDER: provider,
  SEGMENTATION_MODEL: model,
  SEGMENTATION_API_KEY: apiKey,
}: EnvValues): Config['segmentation'] {
  return url === undefined ? null : { url, provider, model, apiKey: apiKey ?? null };
}

function mailOf({ SMTP_URL: url, MAIL_FROM: from }: EnvValues): Config['mail'] {
  if (url === undefined) return null;
  if (from === undefined)
    throw new ConfigError('SMTP_URL needs MAIL_FROM, the address that mails come from. Set MAIL_FROM.');
  return { url, from };
}

function runsOf(values: EnvValues): Config['runs'] {
  return {
    concurrency: values.RUN_CONCURRENCY,
    leaseMs: values.RUN_LEASE_MS,
    maxDeaths: values.RUN_MAX_DEATHS,
    organizationConcurrency: values.ORGANIZATION_RUN_CONCURRENCY === 0 ? null : values.ORGANIZATION_RUN_CONCURRENCY,
    queueWaitSeconds: values.QUEUE_WAIT_SECONDS,
  };
}

/** Throws ConfigError for variables that cannot hold together. */
function refuseContradictions(values: EnvValues): void {
  if (values.NODE_ENV === 'production' && values.MONGODB_URI === undefined && values.EMBEDDED_DB === undefined)
    throw new ConfigError(
      'NODE_ENV=production needs a MongoDB server. Set MONGODB_URI, or EMBEDDED_DB=allow to use the embedded database of this machine.',
    );
  const ports = [values.API_PORT, values.AGENTS_PORT, values.MCP_PORT, values.OBJECTS_PORT].filter(
    (port) => port !== 0,
  );
  if (new Set(ports).size !== ports.length)
    throw new ConfigError('API_PORT, AGENTS_PORT, MCP_PORT and OBJECTS_PORT must differ. Give each its own port.');
}

const webOf = ({ WEB, WEB_DIR, WEB_BUILD, NODE_ENV }: EnvValues): Config['web'] =>
  WEB === 'off'
    ? null
    : {
        dir: WEB_DIR === undefined ? null : resolve(WEB_DIR),
        mayBuild: NODE_ENV !== 'production' || WEB_BUILD === 'allow',
      };

const listed = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Reads the environment and checks variables against each other. Throws ConfigError that says how to correct them. */
export function loadConfig(source: Readonly<Record<string, string | undefined>>): Config {
  const values = readEnv(source);
  refuseContradictions(values);
  if (values.API_DEBUG) refusePublicDebug(values);
  return {
    dataDir: resolve(values.DATA_DIR),
    workflowsDir: values.WORKFLOWS_DIR === undefined ? null : resolve(values.WORKFLOWS_DIR),
    showsStacks: values.CODE_STACKS === 'on' && values.NODE_ENV !== 'production',
    host: values.HOST,
    ports: { api: values.API_PORT, agents: values.AGENTS_PORT, mcp: values.MCP_PORT, objects: values.OBJECTS_PORT },
    metricsPort: values.METRICS_PORT ?? null,
    metricsToken: values.METRICS_TOKEN ?? null,
    services: new Set(values.SERVICES),
    drainMs: values.DRAIN_SECONDS * 1_000,
    baseUrl: values.BASE_URL?.replace(/\/+$/, '') ?? null,
    mcpUrl: values.MCP_URL?.replace(/\/+$/, '') ?? null,
    mcpKey: values.MCP_KEY ?? null,
    oauthIssuer: values.OAUTH_ISSUER ?? null,
    oauthClientMetadata: values.OAUTH_CLIENT_METADATA,
    objectsUrl: values.OBJECTS_URL?.replace(/\/+$/, '') ?? null,
    allowedHosts: listed(values.ALLOWED_HOSTS),
    dashboard: {
      origins: values.DASHBOARD_ORIGINS,
      signUp: values.SIGN_UP,
      debug: values.API_DEBUG ? { token: values.DASHBOARD_SESSION_TOKEN ?? null } : null,
      tokenIgnored: !values.API_DEBUG && values.DASHBOARD_SESSION_TOKEN !== undefined,
    },
    web: webOf(values),
    mail: mailOf(values),
    trustedProxies: values.TRUSTED_PROXIES,
    mongodbUri: values.MONGODB_URI ?? null,
    redisUrl: values.REDIS_URL ?? null,
    uploads: {
      maxBytes: values.UPLOAD_MAX_BYTES,
      signContentType: values.UPLOAD_SIGN_CONTENT_TYPE,
      minFreeBytes: values.DISK_MIN_FREE_BYTES ?? null,
    },
    s3: s3Of(values),
    quotas: quotasOf(values),
    retention: retentionOf(values),
    models: {
      openAiKey: values.OPENAI_API_KEY ?? null,
      openAiBaseUrl: values.OPENAI_BASE_URL ?? null,
      visionModel: values.VISION_MODEL,
      chatModel: values.CHAT_MODEL,
      embeddingModel: values.EMBEDDING_MODEL,
      embeddings: values.EMBEDDINGS,
    },
    segmentation: segmentationOf(values),
    outboundAllow: values.OUTBOUND_ALLOW,
    ...secretsOf(values),
    search: { mode: values.DOCUMENT_SEARCH_MODE, quantization: values.VECTOR_QUANTIZATION },
    ocr: { language: values.OCR_LANGUAGE, workers: values.OCR_WORKERS === 0 ? null : values.OCR_WORKERS },
    runs: runsOf(values),
    compute: {
      nodeMs: values.NODE_COMPUTE_MS,
      runMs: values.RUN_COMPUTE_MS,
      organizationMsPerMinute: values.ORGANIZATION_COMPUTE_MS_PER_MINUTE,
    },
    pages: { organizationMsPerMinute: values.ORGANIZATION_PAGE_MS_PER_MINUTE || null },
    rateLimits:
      values.RATE_LIMITS === 'off'
        ? null
        : {
            usual: values.RATE_LIMIT_PER_SECOND,
            expensive: values.RATE_LIMIT_EXPENSIVE_PER_SECOND,
            address: values.RATE_LIMIT_ADDRESS_PER_SECOND,
          },
    connections: { most: values.MAX_CONNECTIONS, perAddress: values.MAX_CONNECTIONS_PER_ADDRESS },
    mcpLegacy: values.MCP_LEGACY,
    logLevel: values.LOG_LEVEL ?? null,
    traces: tracesOf(values),
    warnings: [...unknownNames(source, Object.keys(env)), ...uselessHosts(listed(values.ALLOWED_HOSTS))],
  };
}
