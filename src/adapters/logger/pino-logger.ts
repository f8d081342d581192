import { pino, type DestinationStream } from 'pino';
import type { Logger } from '#src/domain/ports/logger.ts';

/** One JSON line a record on standard error, which leaves standard output to the commands. Credentials never get in. */
export function createPinoLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { name: 'inkgraph' },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['headers["x-api-key"]', 'headers.authorization', 'headers.cookie', 'secret', 'uploadUrl'],
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }));
}
