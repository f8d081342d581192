import { isatty } from 'node:tty';
import { pino, type DestinationStream } from 'pino';
import type { Logger } from '#src/domain/ports/logger.ts';

interface LoggerOptions {
  /** Tells the processes of an installation apart. */
  readonly instanceId?: string;
  readonly destination?: DestinationStream;
}

/** Level where the operator chose none: a person at a terminal reads no stream of JSON, and sees what is wrong. */
export const usualLevel = (isTerminal: boolean): 'warn' | 'info' => (isTerminal ? 'warn' : 'info');

/** Writes one JSON line for each record to standard error; standard output belongs to commands. Redacts credentials. */
export function createPinoLogger(level: string | null, { instanceId, destination }: LoggerOptions = {}): Logger {
  const options = {
    level: level ?? usualLevel(destination === undefined && isatty(2)),
    base: { name: 'inkgraph', ...(instanceId === undefined ? {} : { instanceId }) },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['headers["x-api-key"]', 'headers.authorization', 'headers.cookie', 'secret', 'uploadUrl'],
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }));
}
