import { describe, expect, test } from 'vitest';
import { refuseMissingLanguages } from '#app/compose/compute/refuse-missing-languages.ts';
import { loadConfig } from '#src/config/config.ts';
import { ConfigError, env, type EnvName } from '#src/config/env.ts';

/** One value for each variable that it must not take. */
const broken: Partial<Record<EnvName, string>> = {
  API_PORT: '65536',
  AGENTS_PORT: '-1',
  MCP_PORT: '3002x',
  OBJECTS_PORT: '1e3',
  METRICS_PORT: 'metrics',
  SERVICES: 'api,worker',
  DRAIN_SECONDS: '2s',
  BASE_URL: 'inkgraph.example',
  MCP_URL: 'mcp.example/mcp',
  OAUTH_ISSUER: 'issuer.example',
  OAUTH_CLIENT_METADATA: 'never',
  MCP_KEY: 'ink_wf_hunter2',
  OBJECTS_URL: 'ftp://inkgraph.example',
  DASHBOARD_ORIGINS: 'app.example.com',
  SIGN_UP: 'closed',
  SMTP_URL: 'mail.hunter2.example.com',
  MAIL_FROM: 'nobody',
  API_DEBUG: '1',
  DASHBOARD_SESSION_TOKEN: 'hunter2',
  TRUSTED_PROXIES: '10.0.0.0/8, proxy.example',
  MONGODB_URI: 'postgres://root:hunter2@db/x',
  REDIS_URL: 'redis://:hunter2@cache/name',
  EMBEDDED_DB: 'yes',
  S3_BUCKET: 'No/Bucket',
  S3_ENDPOINT: 's3.example.com',
  S3_PUBLIC_URL: 'files.example.com',
  S3_REGION: 'x'.repeat(65),
  S3_ACCESS_KEY_ID: 'hunter2'.repeat(40),
  S3_SECRET_ACCESS_KEY: 'hunter2'.repeat(40),
  S3_FORCE_PATH_STYLE: 'yes',
  S3_SIGN_WRITE_ONCE: 'yes',
  UPLOAD_MAX_BYTES: '50MB',
  UPLOAD_SIGN_CONTENT_TYPE: 'TRUE',
  DISK_MIN_FREE_BYTES: '1GB',
  QUOTA_ORGANIZATION_BYTES: '1e9',
  QUOTA_ORGANIZATION_OBJECTS: '-1',
  QUOTA_PROJECT_BYTES: '1e9',
  QUOTA_PROJECT_OBJECTS: '-1',
  QUOTA_KEY_BYTES: '1e9',
  QUOTA_KEY_OBJECTS: '-1',
  RETENTION_EVENTS_DAYS: '0',
  RETENTION_DELIVERIES_DAYS: '1.5',
  RETENTION_CHECKPOINTS_DAYS: 'never',
  RETENTION_EXPERIMENT_RUNS_DAYS: '36501',
  RETENTION_TRASH_DAYS: '0',
  RETENTION_NODE_CACHE_DAYS: '36501',
  RETENTION_RUNS_DAYS: '1',
  RETENTION_AUDIT_DAYS: '1',
  OPENAI_BASE_URL: 'localhost:8000',
  DOCUMENT_SEARCH_MODE: 'semantic',
  VECTOR_QUANTIZATION: 'half',
  EMBEDDINGS: 'vectors',
  SEGMENTATION_URL: 'sam:8091',
  SEGMENTATION_PROVIDER: 'sam',
  OUTBOUND_ALLOW: 'https://api.example.com/',
  INSTALLATION_SECRET: 'c2hvcnQ=',
  SECRETS_KEY: 'c2hvcnQ=',
  SECRETS_KEY_PREVIOUS: 'c2hvcnQ=',
  OCR_LANGUAGE: '../eng',
  OCR_WORKERS: '17',
  RUN_CONCURRENCY: '0',
  RUN_LEASE_MS: '10s',
  RUN_MAX_DEATHS: '10s',
  NODE_COMPUTE_MS: '9',
  RUN_COMPUTE_MS: 'much',
  ORGANIZATION_COMPUTE_MS_PER_MINUTE: '0',
  ORGANIZATION_PAGE_MS_PER_MINUTE: '-1',
  RATE_LIMITS: 'false',
  RATE_LIMIT_PER_SECOND: '-1',
  RATE_LIMIT_EXPENSIVE_PER_SECOND: '2.5',
  RATE_LIMIT_ADDRESS_PER_SECOND: '-1',
  ORGANIZATION_RUN_CONCURRENCY: '-1',
  QUEUE_WAIT_SECONDS: 'soon',
  MAX_CONNECTIONS: '9',
  MAX_CONNECTIONS_PER_ADDRESS: 'many',
  METRICS_TOKEN: 'short',
  MCP_LEGACY: 'none',
  LOG_LEVEL: 'loud',
  WEB: 'yes',
  WEB_BUILD: 'true',
  CODE_STACKS: 'yes',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://collector:4317',
  OTEL_EXPORTER_OTLP_HEADERS: 'hunter2',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization: hunter2',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'zipkin',
  OTEL_EXPORTER_OTLP_COMPRESSION: 'brotli',
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'yes',
  OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '0',
  OTEL_TRACES_EXPORTER: 'console',
  OTEL_SERVICE_NAME: 'x'.repeat(129),
  OTEL_RESOURCE_ATTRIBUTES: 'team',
  OTEL_TRACES_SAMPLER: 'jaeger_remote',
  OTEL_TRACES_SAMPLER_ARG: '2',
};
/** Any text will do, and an empty one counts as unset. */
const free: readonly EnvName[] = [
  'DATA_DIR',
  'HOST',
  'ALLOWED_HOSTS',
  'OPENAI_API_KEY',
  'VISION_MODEL',
  'CHAT_MODEL',
  'EMBEDDING_MODEL',
  'SEGMENTATION_MODEL',
  'SEGMENTATION_API_KEY',
  'NODE_ENV',
  'WEB_DIR',
  'WORKFLOWS_DIR',
  'OTEL_SDK_DISABLED',
];

function problem(source: Record<string, string>): string {
  try {
    loadConfig(source);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'none';
}

describe('The environment', () => {
  test('every variable is tried below, or takes any text', () => {
    expect([...Object.keys(broken), ...free].toSorted()).toEqual(Object.keys(env).toSorted());
  });

  test.each(Object.entries(broken))('%s=%s is refused in one line that names it and the way out', (name, value) => {
    const message = problem({ [name]: value });
    expect(message).toContain(`${name}=`);
    expect(message).toContain('docs/reference/config.md');
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(400);
    expect(message.match(/\b[A-Z][A-Z0-9_]+=/g)).toEqual([`${name}=`]);
  });

  test.each(['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp/', 'https://mcp.example.com/?x=1'])(
    'MCP_URL=%s is refused, since /mcp is appended to it',
    (MCP_URL) => {
      expect(problem({ MCP_URL })).toMatch(/MCP_URL=.*leave out \/mcp/);
    },
  );

  test('all broken variables are named at once', () => {
    const message = problem(broken);
    for (const name of Object.keys(broken)) expect(message).toContain(`${name}=`);
    expect(message).not.toContain('\n');
  });

  test('secrets are never shown', () => {
    expect(problem({ MONGODB_URI: 'postgres://root:hunter2@db/x' })).toContain('MONGODB_URI=(secret)');
    expect(problem({ ...broken, OPENAI_API_KEY: 'sk-hunter2' })).not.toContain('hunter2');
  });

  test('every secret is marked as one', () => {
    const secrets = Object.entries(env).filter(([, row]) => 'secret' in row);
    expect(secrets.map(([name]) => name).toSorted()).toEqual([
      'DASHBOARD_SESSION_TOKEN',
      'INSTALLATION_SECRET',
      'MCP_KEY',
      'METRICS_TOKEN',
      'MONGODB_URI',
      'OPENAI_API_KEY',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
      'REDIS_URL',
      'S3_ACCESS_KEY_ID',
      'S3_SECRET_ACCESS_KEY',
      'SECRETS_KEY',
      'SECRETS_KEY_PREVIOUS',
      'SEGMENTATION_API_KEY',
      'SMTP_URL',
    ]);
    // Quotas of API keys are numbers.
    for (const name of Object.keys(env).filter((one) => !one.startsWith('QUOTA_KEY_')))
      if (/KEY|SECRET|TOKEN|PASSWORD|URI$/.test(name)) expect(secrets.map(([one]) => one)).toContain(name);
  });

  test('values with line breaks stay in one line', () => {
    expect(problem({ LOG_LEVEL: 'info\nAPI_PORT=1' })).not.toContain('\n');
  });

  test('empty values count as unset, and unknown variables are not read', () => {
    const config = loadConfig({ API_PORT: '', MONGODB_URI: '', LOG_LEVEL: '', NONSENSE: 'x', API_PORTS: 'x' });
    expect(config).toMatchObject({ ports: { api: 3000, agents: 3001, mcp: 3002, objects: 3003 }, mongodbUri: null });
    expect({ ...config, warnings: [] }).toEqual(loadConfig({}));
  });

  test('what is unset is the documented default', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      uploads: { maxBytes: 50 * 1024 * 1024 },
      runs: { leaseMs: 10_000 },
      rateLimits: { usual: 50, expensive: 5 },
      metricsPort: null,
      services: new Set(['api', 'agents', 'mcp']),
    });
  });

  test('lists are read with spaces, addresses without a slash at their end', () => {
    const config = loadConfig({
      SERVICES: ' api , mcp',
      ALLOWED_HOSTS: 'a.example, ,b.example',
      BASE_URL: 'https://x.example//',
      MCP_URL: 'https://mcp.example/',
      OAUTH_ISSUER: 'https://issuer.example/realm/',
    });
    expect([...config.services]).toEqual(['api', 'mcp']);
    expect(config.allowedHosts).toEqual(['a.example', 'b.example']);
    expect(config.baseUrl).toBe('https://x.example');
    expect(config.mcpUrl).toBe('https://mcp.example');
    // An issuer is compared to the letter, slash and all.
    expect(config.oauthIssuer).toBe('https://issuer.example/realm/');
    expect(loadConfig({})).toMatchObject({ mcpUrl: null, oauthIssuer: null });
  });
});

describe('An address with more than scheme and host', () => {
  test.each(['https://x.example/ink', 'https://x.example/?a=1', 'https://user@x.example', 'https://x.example/#a'])(
    'is refused as BASE_URL: %s',
    (url) => {
      expect(problem({ BASE_URL: url })).toMatch(/scheme and host only, such as https:\/\/ink\.example\.com/);
    },
  );
});

describe('The settings of S3', () => {
  test('belong together', () => {
    expect(problem({ S3_ENDPOINT: 'http://localhost:7070' })).toContain('S3_BUCKET');
    expect(problem({ S3_BUCKET: 'scans', S3_ACCESS_KEY_ID: 'one' })).toContain('S3_SECRET_ACCESS_KEY');
    expect(loadConfig({ S3_BUCKET: 'scans', S3_ENDPOINT: 'http://localhost:7070/' }).s3).toMatchObject({
      bucket: 'scans',
      endpoint: 'http://localhost:7070',
      credentials: null,
    });
  });
});

describe('Traces', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://collector.example/otlp/';

  test('are off without a collector, and where the standard turns them off', () => {
    expect(loadConfig({}).traces).toBeNull();
    expect(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }).traces).toBeNull();
    expect(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).traces).toBeNull();
  });

  test('have the defaults of the standard', () => {
    expect(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).traces).toEqual({
      target: {
        url: 'https://collector.example/otlp/v1/traces',
        headers: {},
        protocol: 'http/protobuf',
        gzip: false,
        timeoutMs: 10_000,
      },
      sampler: 'parentbased_always_on',
      samplerRatio: 1,
      resource: { 'service.name': 'inkgraph' },
    });
  });

  test('take what is meant for traces before what is meant for all signals', () => {
    const { traces } = loadConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces.example/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'x=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: ' authorization = Bearer%20a%2Cb , x-team=ink',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test%20one',
      OTEL_SERVICE_NAME: 'scans',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(traces).toMatchObject({
      target: {
        url: 'http://traces.example/in',
        headers: { authorization: 'Bearer a,b', 'x-team': 'ink' },
        gzip: true,
        timeoutMs: 500,
      },
      sampler: 'traceidratio',
      samplerRatio: 0.25,
      resource: { 'service.name': 'scans', 'deployment.environment.name': 'test one' },
    });
  });
});

describe('Variables that have no effect', () => {
  test.each([
    ['S3_ACL', 'S3_ACL is no setting and has no effect. docs/reference/config.md lists the settings.'],
    ['REDIS_CLUSTER', 'REDIS_CLUSTER is no setting and has no effect. docs/reference/config.md lists the settings.'],
    ['RATE_LIMITS_PER_SECOND', 'Did you mean RATE_LIMIT_PER_SECOND?'],
    ['MONGODB_URL', 'Did you mean MONGODB_URI?'],
    ['DATADIR', 'Did you mean DATA_DIR?'],
    ['api_port', 'Did you mean API_PORT?'],
    ['OCR_LANGUAGES', 'Did you mean OCR_LANGUAGE?'],
  ])('%s gets a warning', (name, said) => {
    const { warnings } = loadConfig({ [name]: 'x' });
    expect(warnings).toEqual([expect.stringContaining(said)]);
  });

  test('names of other programs get none', () => {
    const others = [
      'HOME',
      'HOSTNAME',
      'PATH',
      'PORT',
      'PWD',
      'LANG',
      'npm_config_cache',
      'AWS_REGION',
      'NODE_OPTIONS',
    ];
    const source = Object.fromEntries(others.map((name) => [name, 'x']));
    expect(loadConfig({ ...source, API_PORT: '3000' }).warnings).toEqual([]);
  });
});

describe('A language of documents', () => {
  const compose = (language: string, services: string) =>
    refuseMissingLanguages(loadConfig({ OCR_LANGUAGE: language, SERVICES: services }));

  test('without data is refused where documents are read, with the command that installs it', () => {
    expect(() => compose('eng+xyz', 'api,agents')).toThrow(
      'OCR_LANGUAGE=eng+xyz: no data for xyz. Run npm run languages -- add xyz, or choose another language.',
    );
    expect(() => compose('eng', 'agents')).not.toThrow();
    expect(() => compose('xyz', 'api,mcp')).not.toThrow();
    expect(() => compose('auto', 'api,agents')).not.toThrow();
    expect(() => loadConfig({ OCR_LANGUAGE: 'deu+auto' })).toThrow('OCR_LANGUAGE');
  });
});

describe('What goes out', () => {
  test('the list of hosts is read line by line, and a scheme or a path in it is refused', () => {
    const listed = ' api.example.com, *.example.org:8443,127.0.0.1:9000,, [::1]:9000 ';
    expect(loadConfig({ OUTBOUND_ALLOW: listed }).outboundAllow).toEqual([
      'api.example.com',
      '*.example.org:8443',
      '127.0.0.1:9000',
      '[::1]:9000',
    ]);
    expect(loadConfig({}).outboundAllow).toEqual([]);
    for (const line of ['https://api.example.com', 'api.example.com/x', '*', 'a.*.com', 'user@host'])
      expect(problem({ OUTBOUND_ALLOW: line })).toContain('expected host, host:port, *.example.com');
  });

  test('the key of secrets is 32 bytes in base64, and is not shown when it is not', () => {
    const key = Buffer.alloc(32, 1);
    expect(loadConfig({ SECRETS_KEY: key.toString('base64') }).secretsKey).toEqual(key);
    expect(loadConfig({}).secretsKey).toBeNull();
    for (const wrong of ['hunter2', key.subarray(1).toString('base64')])
      expect(problem({ SECRETS_KEY: wrong })).toMatch(/^(?!.*hunter2).*SECRETS_KEY=\(secret\): .*base64/);
  });
});

describe('The environment as a whole', () => {
  test('two listeners on one port are refused; port 0 may be used by all', () => {
    expect(problem({ API_PORT: '4000', MCP_PORT: '4000' })).toMatch(/API_PORT.*MCP_PORT.*must differ/);
    expect(problem({ API_PORT: '3003' })).toMatch(/must differ/);
    expect(problem({ API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' })).toBe('none');
  });

  test('production without MONGODB_URI is refused, unless the embedded database is allowed by name', () => {
    expect(problem({ NODE_ENV: 'production' })).toMatch(/MONGODB_URI.*EMBEDDED_DB=allow/);
    expect(problem({ NODE_ENV: 'production', EMBEDDED_DB: 'allow' })).toBe('none');
    expect(problem({ NODE_ENV: 'production', MONGODB_URI: 'mongodb+srv://db.example/' })).toBe('none');
    expect(problem({ NODE_ENV: 'development' })).toBe('none');
  });
});

describe('The dashboard', () => {
  test('signs everybody up, has no seeded session and believes no proxy unless told to', () => {
    const { dashboard, trustedProxies } = loadConfig({});
    expect(dashboard).toEqual({ origins: [], signUp: 'open', debug: null, tokenIgnored: false });
    expect(trustedProxies).toEqual([]);
    expect(loadConfig({ TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,::1' }).trustedProxies).toEqual([
      'loopback',
      '10.0.0.0/8',
      '::1',
    ]);
  });

  test('reads the token of the seeded session with API_DEBUG=true only', () => {
    const DASHBOARD_SESSION_TOKEN = 'a-token-of-my-own';
    expect(loadConfig({ DASHBOARD_SESSION_TOKEN }).dashboard).toMatchObject({ debug: null, tokenIgnored: true });
    expect(loadConfig({ DASHBOARD_SESSION_TOKEN, API_DEBUG: 'true' }).dashboard).toMatchObject({
      debug: { token: DASHBOARD_SESSION_TOKEN },
      tokenIgnored: false,
    });
  });

  test.each([{ NODE_ENV: 'production', EMBEDDED_DB: 'allow' }, { HOST: '0.0.0.0' }, { BASE_URL: 'https://a.example' }])(
    'has no seeded session with %j',
    (bad) => {
      const message = problem({ API_DEBUG: 'true', ...bad });
      expect(message).toContain('API_DEBUG=true');
      expect(message).toContain(Object.keys(bad)[0]);
      expect(message).not.toContain('\n');
    },
  );
});
