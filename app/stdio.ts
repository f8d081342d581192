import { loadConfig } from '#src/config/config.ts';
import { runProgram } from '#app/compose/entry.ts';
import { compose } from '#app/compose.ts';
import { requireKey, serveStdioClient, stdioConfig } from '#app/compose/stdio.ts';

/** Clients kill what is still there after 2 s, or 1 s after a signal: by then, runs have been given back to the queue. */
const drainMs = 500;

/** `npm run mcp:stdio`: MCP for one local client, which starts this process and ends it. Standard output is the protocol's alone. */
async function run(): Promise<void> {
  const config = await stdioConfig(loadConfig(process.env));
  await using app = await compose(config, { drainMs });
  await requireKey(app, config);
  await app.start();
  const stop = new AbortController();
  // The second signal ends the process as it ends any.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
  void app.failed.then((error) => {
    process.exitCode = 1;
    app.logger.error({ err: error }, 'a part of this process died: stopping');
    stop.abort();
  });
  await serveStdioClient(app, config, stop.signal);
}

await runProgram(run);
