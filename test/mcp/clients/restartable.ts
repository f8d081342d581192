import { startService, type ServiceProcess } from '#scripts/chaos/service-process.ts';
import { freePorts } from '#scripts/servers/free-ports.ts';
import { readSeedFile } from '#test/supervisor/seed-file.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { layOutSeeded } from '#test/support/template-folder.ts';

/** The MCP service in a process of its own, at an address that stays. */
export interface Restartable extends AsyncDisposable {
  readonly url: URL;
  /** Those of a key with every scope. */
  readonly headers: { readonly authorization: string };
  /** kill -9 and a new process, which is up when this settles. */
  restart(): Promise<void>;
  /** Starts another MCP process on the same data, at an address of its own. */
  startBeside(): Promise<ServiceProcess>;
}

export async function startRestartable(): Promise<Restartable> {
  const folder = await temporaryFolder();
  await layOutSeeded(folder.path, { env: {}, overrides: {} });
  const [port = 0] = await freePorts(1);
  const env = { SERVICES: 'api,mcp', MCP_PORT: String(port), API_DEBUG: 'true' };
  const start = (): Promise<ServiceProcess> => startService({ dataDir: folder.path, env });
  let service = await start();
  const { agentKey } = await readSeedFile(folder.path);
  return {
    url: new URL('/mcp', service.addresses.mcp),
    headers: { authorization: `Bearer ${agentKey}` },
    async restart() {
      await service.kill();
      service = await start();
    },
    startBeside: () => startService({ dataDir: folder.path, env: { SERVICES: 'mcp' } }),
    async [Symbol.asyncDispose]() {
      await service.kill();
      await folder.remove();
    },
  };
}
