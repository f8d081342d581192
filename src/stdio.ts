import { loadConfig } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { compose } from '#src/compose.ts';
import { serveStdioClient, stdioConfig } from '#src/compose/stdio.ts';

/** `npm run mcp:stdio`: MCP for one local client, which starts this process and ends it. Standard output is the protocol's alone. */
async function run(): Promise<void> {
  const config = await stdioConfig(loadConfig(process.env));
  await using app = await compose(config);
  await app.start();
  const ended = await Promise.race([serveStdioClient(app, config), app.failed]);
  if (!(ended instanceof Error)) return;
  process.exitCode = 1;
  app.logger.error({ err: ended }, 'a part of this process died: stopping');
}

try {
  await run();
} catch (error) {
  const mendable = error instanceof ConfigError;
  process.stderr.write(
    `inkgraph: ${mendable ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}
