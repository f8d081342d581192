import { join, resolve as absolute } from 'node:path';
import { findEngine, isHeld, SilentEngineError } from './find.ts';
import { EngineThread, never, type EmbeddedDatabase } from './thread.ts';

export { EngineThread, SilentEngineError, type EmbeddedDatabase };

/** True while a living process runs the engine of this folder, also one that does not answer. */
export const isEngineAlive = (dataDir: string): boolean => isHeld(join(dataDir, 'database'));

export interface OpenOptions {
  dataDir: string;
  /** On loopback; 0, the default, is any free one. */
  port?: number;
  /** A unix socket in a folder of its own, in place of a port. The password is asked for all the same. */
  socket?: string;
  /** Default: a thread of its own, which ends with the engine. */
  thread?: EngineThread;
  /** Answers `configureFailPoint`, for tests of drivers: whoever has the password can then make commands fail. Default: false. */
  failPoints?: boolean;
}

/**
 * Starts the engine in a worker thread over `<dataDir>/database/`, or, when another process already runs it on this folder, finds
 * that one, wherever it listens. Throws when the database file is damaged: it is never replaced. `SilentEngineError`: that process lives,
 * and did not answer for 5 s.
 */
export async function openEmbeddedDatabase({
  dataDir,
  port = 0,
  socket,
  thread,
  failPoints = false,
}: OpenOptions): Promise<EmbeddedDatabase> {
  // Spares a thread to the many processes that use the engine of another one.
  const running = await findEngine(join(dataDir, 'database'));
  if (running !== 'none') return { ...running, failed: never, close: async () => undefined };
  const address = socket === undefined ? `127.0.0.1:${port}` : absolute(socket);
  return (thread ?? new EngineThread({ endsWithEngine: true })).open(dataDir, address, failPoints);
}
