import { openEngine, type Engine } from '#app/compose/engine.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

const pauseMs = 200;

/**
 * Runs the embedded engine, if one is configured and no other process runs it, and starts it again at the same port when it stops by
 * itself. Throws ConfigError when it cannot be opened the first time.
 */
export async function keepEngine(config: Config, logger: Logger): Promise<AsyncDisposable> {
  let engine: Engine | null = await openEngine(config);
  let retry: NodeJS.Timeout | null = null;
  let closed = false;
  const port = Number(URL.parse(engine.uri)?.port ?? '');
  const reopen = async (): Promise<void> => {
    try {
      watch(await openEngine(config, { port }));
    } catch (error) {
      logger.error({ err: error }, 'the embedded database could not be opened again: the next attempt follows');
      retry = setTimeout(() => void reopen(), pauseMs);
    }
  };
  const watch = (opened: Engine): void => {
    engine = opened;
    if (closed) void opened.close();
    void opened.failed.then((error) => {
      engine = null;
      logger.error({ err: error }, 'the embedded database stopped by itself: it is opened again');
      retry = setTimeout(() => void reopen(), pauseMs);
    });
  };
  watch(engine);
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      if (retry !== null) clearTimeout(retry);
      await engine?.close();
    },
  };
}
