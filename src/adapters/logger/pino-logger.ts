import { pino, type DestinationStream } from 'pino';
import type { Logger } from '#src/domain/ports/logger.ts';

interface LoggerOptions {
  /** Tells the processes of an installation apart. */
  readonly instanceId?: string;
  readonly destination?: DestinationStream;
}

/** Writes one JSON line for each record to standard error; standard output belongs to commands. Redacts credentials. */
export function createPinoLogger(level: string, { instanceId, destination }: LoggerOptions = {}): Logger {
  const options = {
    level,
    base: { name: 'inkgraph', ...(instanceId === undefined ? {} : { instanceId }) },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['headers["x-api-key"]', 'headers.authorization', 'headers.cookie', 'secret', 'uploadUrl'],
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }));
}
