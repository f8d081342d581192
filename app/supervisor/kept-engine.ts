import { openEngine, type Engine, type OpenDatabase } from '#app/compose/engine.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

const pauseMs = 200;

/**
 * Runs the embedded engine, if one is configured and no other process runs it, and starts it again at the same port when it stops by
 * itself. Throws ConfigError when it cannot be opened the first time.
 */
export async function keepEngine(
  config: Config,
  logger: Logger,
  { open, signal }: { readonly open?: OpenDatabase; readonly signal?: AbortSignal } = {},
): Promise<AsyncDisposable> {
  const parts = { open, logger, ...(signal !== undefined && { signal }) };
  let engine: Engine | null = await openEngine(config, parts);
  let retry: NodeJS.Timeout | null = null;
  let closed = false;
  const port = Number(URL.parse(engine.uri)?.port ?? '');
  const reopenSoon = (): void => {
    if (!closed) retry = setTimeout(() => void reopen(), pauseMs);
  };
  const reopen = async (): Promise<void> => {
    try {
      watch(await openEngine(config, { ...parts, port }));
    } catch (error) {
      logger.error({ err: error }, 'the embedded database could not be opened again: the next attempt follows');
      reopenSoon();
    }
  };
  const watch = (opened: Engine): void => {
    engine = opened;
    if (closed) void opened.close();
    void opened.failed.then((error) => {
      engine = null;
      logger.error({ err: error }, 'the embedded database stopped by itself: it is opened again');
      reopenSoon();
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
