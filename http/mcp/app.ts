import type { Express } from 'express';
import { baseApp, type BaseParts } from '#http/base-app.ts';
import { mountGuard } from '#http/guard/mount-guard.ts';
import type { Endpoint, EndpointParts } from '#http/mcp/endpoint.ts';
import { mountResourceMetadata } from '#http/mcp/resource-metadata.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountHealth, type HealthParts } from '#http/routes/health.ts';

export interface McpParts extends EndpointParts, BaseParts, HealthParts {}

export interface McpApp extends Express {
  /** Loads the MCP SDK before the first request. */
  warm(): Promise<void>;
  /** See `Endpoint.recheck`. */
  recheck(): Promise<void>;
  /** See `Endpoint.close`. Later requests are refused. */
  close(cutting?: AbortSignal): Promise<void>;
}

/** The MCP service: `/mcp`, OAuth metadata and health. No body parser precedes `/mcp`: the endpoint reads and bounds bodies itself. */
export function createMcpApp(parts: McpParts): McpApp {
  let endpoint: Promise<Endpoint> | null = null;
  const load = (): Promise<Endpoint> => {
    // The SDK takes 100 ms to load; starting does not wait for it.
    endpoint ??= import('#http/mcp/endpoint.ts').then((loaded) => loaded.createEndpoint(parts));
    return endpoint;
  };
  const app = baseApp('mcp', parts);
  mountHealth(app, 'mcp', parts);
  mountGuard(app, parts);
  if (parts.oauth !== undefined) mountResourceMetadata(app, parts.oauth);
  app.all('/mcp', async (request, response, next) => {
    const { handler } = await load();
    await handler(request, response, next);
  });
  app.use(notFound, problems(parts.logger));
  const own: Pick<McpApp, 'warm' | 'recheck' | 'close'> = {
    async warm() {
      await load();
    },
    async recheck() {
      await (await endpoint)?.recheck();
    },
    async close(cutting) {
      await (await endpoint)?.close(cutting);
    },
  };
  return Object.assign(app, own);
}
