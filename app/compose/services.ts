import type { RequestListener } from 'node:http';
import type { ListenerGate } from '#src/adapters/objects/disk/listener/server.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import { Authenticator } from '#src/auth/authenticate.ts';
import type { Core } from '#app/compose/core.ts';
import type { Data } from '#app/compose/data.ts';
import { allowedHostsOf } from '#src/config/allowed-hosts.ts';
import type { Config, Ports } from '#src/config/config.ts';
import type { ServiceName } from '#src/config/env.ts';
import { configuredAddresses, type Addresses } from '#app/compose/addresses.ts';
import { listen, listenProblem, OpenConnections } from '#app/compose/listeners/listen.ts';
import type { OpenListeners } from '#app/compose/listeners/open-listeners.ts';
import { openBundle, type Bundle } from '#src/adapters/web/open-bundle.ts';
import { version } from '#src/config/version.ts';
import { createAgentsApp, createMetricsApp } from '#http/operations.ts';
import { operatorOf } from '#http/guard/operator.ts';
import { createGuards } from '#app/compose/access/guards.ts';
import type { HealthReader } from '#http/routes/health.ts';

/** Services that listen. */
export interface Listeners {
  readonly addresses: Addresses;
  /** Actual ports of the listeners of this process, and configured ones of the others. */
  readonly ports: Ports;
}

export interface OpenServices extends Listeners {
  /** The dashboard; null: this process serves none. */
  readonly bundle: Bundle | null;
}

interface ServicesParts {
  readonly config: Config;
  readonly data: Data;
  readonly core: Core;
  readonly health: HealthReader;
  readonly listeners: OpenListeners;
}

/** Environment variables that set the ports. */
const portNames: Readonly<Record<ServiceName, string>> = { api: 'API_PORT', agents: 'AGENTS_PORT', mcp: 'MCP_PORT' };

/** Loads the modules that `openServices` loads by need, while there is nothing else to do. */
export async function loadServices(services: readonly string[]): Promise<void> {
  await Promise.all([
    ...(services.includes('api') ? [import('#http/api/app.ts'), import('#app/compose/access/oauth.ts')] : []),
    ...(services.includes('mcp') ? [import('#http/mcp/app.ts'), import('#app/compose/access/mcp.ts')] : []),
  ]);
}

/** Opens the listeners of the configured services. `stack` closes them. Throws ConfigError, which names the variable to change. */
export async function openServices(parts: ServicesParts, stack: AsyncDisposableStack): Promise<OpenServices> {
  const { config, data, core, health, listeners } = parts;
  const { deps, metrics, tracer } = core;
  const { logger } = deps;
  const authenticator = new Authenticator(deps.apiKeys, logger);
  const { members, organizations } = deps;
  const sessions = new SessionAuthenticator({ sessions: core.sessions, members, organizations });
  const origins = (): readonly string[] => [new URL(core.apiUrl()).origin, ...config.dashboard.origins];
  const configured = configuredAddresses(config);
  // Each key has one rate budget for all services.
  const { log: limitLog, limiters, strangers, connections } = createGuards(config, logger, core.sharedCounts);
  const { trustedProxies, metricsToken } = config;
  const isOperator = operatorOf(metricsToken);
  const base = { metrics, logger, tracer, trustedProxies, strangers, limitLog, isOperator };

  const ports = { ...config.ports };
  stack.defer(() => listeners.close());
  const open = async (name: string, port: number, app: RequestListener, host = config.host) => {
    const opened = await listen(app, { name, host, port }, (server) => connections.attach(server));
    listeners.add(opened.connections);
    return opened;
  };
  /** Opens the listener of a service, and keeps its actual port. */
  const serve = async (service: ServiceName, app: RequestListener): Promise<string> => {
    const { url, port } = await open(portNames[service], ports[service], app);
    ports[service] = port;
    return url;
  };
  let objects = configured.objects;
  const bundle = config.web === null || !config.services.has('api') ? null : openBundle(config.web, logger);
  const starters: Readonly<Record<ServiceName, () => Promise<string>>> = {
    async api() {
      const { createApiApp } = await import('#http/api/app.ts');
      const { createOAuth } = await import('#app/compose/access/oauth.ts');
      const app = createApiApp({
        closing: listeners.closing,
        cutting: listeners.cutting,
        access: core.accessChanges,
        facade: { authenticator, sessions, origins, deps, limiters },
        auth: core.sessions,
        oauth: createOAuth(config, core, limitLog),
        ...base,
        health,
        version,
        web: bundle === null ? null : { bundle, objectOrigins: () => [new URL(objects).origin] },
        baseUrl: () => core.apiUrl(),
        openMedia: (request) => core.media.open(request),
      });
      core.setApiUrl(await serve('api', app));
      return core.apiUrl();
    },
    agents: () => serve('agents', createAgentsApp({ ...base, health })),
    async mcp() {
      const { createMcpApp } = await import('#http/mcp/app.ts');
      const { mcpAccess, mcpSessionRecords } = await import('#app/compose/access/mcp.ts');
      const [legacy, allowedHosts] = [config.mcpLegacy, allowedHostsOf(config)];
      const oauth = await mcpAccess(config, core);
      const sessionRecords = mcpSessionRecords(data);
      const own = { deps, authenticator, oauth, health, version, allowedHosts, legacy, limiters, sessionRecords };
      const app = createMcpApp({ ...base, ...own });
      core.setMcpUrl(await serve('mcp', app));
      stack.defer(core.accessChanges.on(() => void app.recheck()));
      listeners.add({ drain: () => undefined, close: () => app.close(listeners.cutting) });
      return core.mcpUrl();
    },
  };
  const started = async (service: ServiceName): Promise<string> =>
    config.services.has(service) ? starters[service]() : configured[service];

  if (config.services.has('api')) {
    const opened = await listenForObjects(config, data, {
      attach(server) {
        connections.attach(server);
        listeners.add(new OpenConnections(server));
      },
      admit: (request, response) => strangers.admit(request, response, true),
    });
    objects = opened?.url ?? objects;
    ports.objects = opened?.port ?? ports.objects;
  }
  const addresses = { objects, api: await started('api'), agents: await started('agents'), mcp: await started('mcp') };
  if (config.metricsPort !== null) await open('METRICS_PORT', config.metricsPort, createMetricsApp(base), '127.0.0.1');
  return { addresses, ports, bundle };
}

/** Opens the listener for signed addresses. null where a service answers them. */
async function listenForObjects({ host, ports }: Config, { disk }: Data, gate: ListenerGate) {
  try {
    return (await disk?.listen(gate)) ?? null;
  } catch (error) {
    throw listenProblem(error, { name: 'OBJECTS_PORT', host, port: ports.objects });
  }
}
