import { flushCompileCache } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { AppError } from '#src/domain/app-error.ts';

interface Packet {
  readonly jobId: number;
  readonly action: string;
  /** null: the call `start`, which only waits until the libraries are loaded. */
  readonly payload: unknown;
}

/**
 * Answers the calls of a guarded thread, one at a time; of an error only the code or the name, since its text may quote a document. The
 * other end is guarded-thread.ts.
 */
export function answerCalls(perform: (request: never) => unknown): void {
  const answer = async ({ jobId, payload }: Packet): Promise<void> => {
    try {
      const data = payload === null ? null : await perform(payload as never);
      parentPort?.postMessage({ jobId, status: 'resolve', data }, []);
    } catch (error) {
      parentPort?.postMessage({ jobId, status: 'reject', data: nameOf(error) }, []);
    }
    // The process is killed when it is idle: without this, the next one would compile everything again.
    flushCompileCache();
  };
  parentPort?.on('message', (packet: Packet) => {
    void answer(packet);
  });
}

function nameOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
