import type { Logger } from '#src/domain/ports/logger.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { traceIdOf } from '#src/domain/traces/trace-context.ts';

/** Adds `traceId` to the lines of work that is traced. */
export function createTracedLogger(logger: Logger, tracer: Tracer): Logger {
  const traced = (fields: object): object => {
    const trace = tracer.current();
    return trace === null ? fields : { traceId: traceIdOf(trace), ...fields };
  };
  return {
    debug: (fields, message) => logger.debug(traced(fields), message),
    info: (fields, message) => logger.info(traced(fields), message),
    warn: (fields, message) => logger.warn(traced(fields), message),
    error: (fields, message) => logger.error(traced(fields), message),
    child: (fields) => createTracedLogger(logger.child(fields), tracer),
  };
}
