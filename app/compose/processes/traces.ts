import { createTracedLogger } from '#src/adapters/logger/traced-logger.ts';
import type { Config } from '#src/config/config.ts';
import { version } from '#src/config/version.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { noTracer } from '#src/domain/traces/no-tracer.ts';

/** Longest wait for the collector at a stop. */
const stopMs = 1_000;

interface Observers {
  readonly tracer: Tracer;
  readonly logger: Logger;
}

/** Tracer, and a logger that names traces. The libraries are loaded only where a collector is configured. */
export async function openTraces(
  { traces }: Config,
  { instanceId, logger }: { readonly instanceId: string; readonly logger: Logger },
  stack: AsyncDisposableStack,
): Promise<Observers> {
  if (traces === null) return { tracer: noTracer, logger };
  const { OtelTracer } = await import('#src/adapters/traces/otel-tracer.ts');
  const resource = { ...traces.resource, 'service.version': version, 'service.instance.id': instanceId };
  const tracer = new OtelTracer({ ...traces, resource, version, logger });
  stack.defer(() => tracer.stop(stopMs));
  return { tracer, logger: createTracedLogger(logger, tracer) };
}
