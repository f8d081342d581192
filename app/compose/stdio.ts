import { Authenticator } from '#src/auth/authenticate.ts';
import { readAddresses } from '#app/compose/addresses.ts';
import { seed } from '#app/compose/seed.ts';
import type { Addresses } from '#app/compose/addresses.ts';
import type { App } from '#app/compose.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { version } from '#src/config/version.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { McpServerFactory } from '#mcp/server/server-factory.ts';
import { productCatalog } from '#mcp/product.ts';
import { serveLocalClient } from '#mcp/server/stdio.ts';
import { fullView } from '#mcp/view.ts';

/** Addresses of the services that run on this data folder. null when none responds. */
async function runningServices(dataDir: string): Promise<Addresses | null> {
  const addresses = await readAddresses(dataDir);
  if (addresses === null) return null;
  try {
    const { ok } = await fetch(`${addresses.api}/health`, { signal: AbortSignal.timeout(2_000) });
    return ok ? addresses : null;
  } catch (error) {
    // A killed process leaves its addresses file behind.
    if (error instanceof Error) return null;
    throw error;
  }
}

/**
 * Configuration of a process that serves one client: it uses the services that run already, or starts a worker and an upload address of
 * its own on free ports, so that any number of such processes can run side by side.
 */
export async function stdioConfig(config: Config): Promise<Config> {
  const running = await runningServices(config.dataDir);
  if (running !== null)
    return { ...config, services: new Set(), baseUrl: running.api, mcpUrl: running.mcp, objectsUrl: running.objects };
  return {
    ...config,
    services: new Set(['api', 'agents']),
    ports: { api: 0, agents: 0, mcp: 0, objects: 0 },
    metricsPort: null,
  };
}

/** Throws ConfigError when the configured key is not valid: the operator can fix it. */
export async function requireKey({ deps, logger }: App, { mcpKey }: Config): Promise<void> {
  if (mcpKey === null) return;
  try {
    await new Authenticator(deps.apiKeys, logger).byKey(mcpKey, 'service-key');
  } catch (error) {
    if (!(error instanceof AppError) || error.row.status >= 500) throw error;
    throw new ConfigError('MCP_KEY is not a valid service key of this data folder. Make one with `npm run keys`.', {
      cause: error,
    });
  }
}

/** Serves the client at standard input with the configured or the seeded key, until the client leaves or `signal` aborts. */
export async function serveStdioClient(app: App, config: Config, signal: AbortSignal): Promise<void> {
  const { deps, logger, tracer } = app;
  const authenticator = new Authenticator(deps.apiKeys, logger);
  const secret = config.mcpKey ?? (await seed(app, config)).agentKey;
  const caller = async (): Promise<McpCaller> => ({
    principal: await authenticator.byKey(secret, 'service-key'),
    requestId: newId('request'),
    view: fullView,
    ip: null,
  });
  const catalog = await productCatalog(deps, version);
  await serveLocalClient({
    factory: new McpServerFactory({ catalog, logger, version, tracer }),
    listening: catalog.listening,
    logger,
    signal,
    caller,
  });
}
