import { loadConfig } from '#src/config/config.ts';
import { runProgram } from '#app/entry.ts';
import { compose } from '#app/compose.ts';
import { requireKey, serveStdioClient, stdioConfig } from '#app/compose/stdio.ts';

/** Clients kill a process after 2 s, or 1 s after a signal. Runs must be back in the queue before that. */
const drainMs = 500;

/** `npm run mcp:stdio`: MCP for one local client, which starts and ends this process. Standard output carries the protocol only. */
async function run(): Promise<void> {
  const config = await stdioConfig(loadConfig(process.env));
  await using app = await compose(config, { drainMs });
  await requireKey(app, config);
  await app.start();
  const stop = new AbortController();
  // The second signal ends the process immediately.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
  void app.failed.then((error) => {
    process.exitCode = 1;
    app.logger.error({ err: error }, 'a vital part of this process failed: stopping');
    stop.abort();
  });
  await serveStdioClient(app, config, stop.signal);
}

await runProgram(run);
