import { z } from 'zod';
import { httpUrl } from '#src/config/address-shapes.ts';

/** Names of the OpenTelemetry specification. */
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded: the text counts as it is.
    return text;
  }
};

/** `name=value,name=value`, with percent-encoding. */
const pairs = (name: RegExp, value: RegExp) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map((part) => {
          const at = part.indexOf('=');
          const read = (piece: string): string => decoded(piece.trim());
          return at < 0 ? ['', ''] : [read(part.slice(0, at)), read(part.slice(at + 1))];
        }),
    )
    .refine(
      (list) => list.every(([key = '', text = '']) => name.test(key) && value.test(text)),
      'expected name=value,name=value',
    )
    .transform((list) => Object.fromEntries(list) as Readonly<Record<string, string>>)
    .optional();

const headers = pairs(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/, /^[\t\x20-\x7e]*$/);
const protocol = z
  .enum(['http/protobuf', 'http/json'], 'expected http/protobuf or http/json: gRPC is not supported')
  .optional();
const compression = z.enum(['gzip', 'none']).optional();
const milliseconds = z
  .string()
  .regex(/^\d{1,6}$/, 'expected milliseconds, 1..600000')
  .transform(Number)
  .pipe(z.int().min(1).max(600_000))
  .optional();

/** Variables of the OpenTelemetry specification, with its names, meanings and defaults. */
export const traceRows = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: 'Collector that takes OTLP over HTTP, such as http://localhost:4318; traces go to /v1/traces below it. Unset: nothing is traced',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: httpUrl.optional(),
    doc: 'Full address for traces, instead of OTEL_EXPORTER_OTLP_ENDPOINT',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: headers,
    doc: 'Headers for the collector, such as authorization=Bearer%20abc, comma-separated',
    secret: true,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    schema: headers,
    doc: 'As OTEL_EXPORTER_OTLP_HEADERS, for traces; wins',
    secret: true,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { schema: protocol, doc: 'http/protobuf, the default, or http/json' },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    schema: protocol,
    doc: 'As OTEL_EXPORTER_OTLP_PROTOCOL, for traces; wins',
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: { schema: compression, doc: 'gzip, or none, the default' },
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: {
    schema: compression,
    doc: 'As OTEL_EXPORTER_OTLP_COMPRESSION, for traces; wins',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    schema: milliseconds,
    doc: 'Milliseconds for one batch with its retries; default 10000',
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: {
    schema: milliseconds,
    doc: 'As OTEL_EXPORTER_OTLP_TIMEOUT, for traces; wins',
  },
  OTEL_TRACES_EXPORTER: { schema: z.enum(['otlp', 'none']).default('otlp'), doc: 'none: nothing is traced' },
  OTEL_SDK_DISABLED: {
    schema: z
      .string()
      .transform((text) => text.toLowerCase() === 'true')
      .prefault('false'),
    doc: 'true: nothing is traced',
  },
  OTEL_SERVICE_NAME: { schema: z.string().max(128).optional(), doc: 'service.name of traces; default inkgraph' },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: pairs(/./, /^/),
    doc: 'More attributes of this process in traces, such as deployment.environment.name=test, comma-separated',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(samplers).default('parentbased_always_on'),
    doc: `Choice of the requests and runs that are traced: ${samplers.join(', ')}`,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z
      .string()
      .regex(/^(0|1|[01]?\.\d{1,12})$/, 'expected a share, 0..1')
      .transform(Number)
      .pipe(z.number().min(0).max(1))
      .optional(),
    doc: 'Share of traces that traceidratio keeps, 0 to 1; default 1',
  },
} as const;

type Values = { readonly [Name in keyof typeof traceRows]: z.output<(typeof traceRows)[Name]['schema']> };

export interface TracesConfig {
  readonly target: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly protocol: 'http/protobuf' | 'http/json';
    readonly gzip: boolean;
    readonly timeoutMs: number;
  };
  readonly sampler: (typeof samplers)[number];
  readonly samplerRatio: number;
  readonly resource: Readonly<Record<string, string>>;
}

function addressOf(values: Values): string | null {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = values;
  if (own !== undefined) return own;
  if (base === undefined) return null;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

/** null: nothing is traced. */
export function tracesOf(values: Values): TracesConfig | null {
  const url = addressOf(values);
  if (url === null || values.OTEL_SDK_DISABLED || values.OTEL_TRACES_EXPORTER === 'none') return null;
  const attributes = values.OTEL_RESOURCE_ATTRIBUTES ?? {};
  const name = values.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? 'inkgraph';
  return {
    target: {
      url,
      headers: values.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      protocol: values.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? values.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf',
      gzip: (values.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? values.OTEL_EXPORTER_OTLP_COMPRESSION) === 'gzip',
      timeoutMs: values.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? values.OTEL_EXPORTER_OTLP_TIMEOUT ?? 10_000,
    },
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
    resource: { ...attributes, 'service.name': name },
  };
}
