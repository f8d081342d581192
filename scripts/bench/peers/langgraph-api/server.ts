/** LangGraph's server for development, everything in memory. */
import { fileURLToPath } from 'node:url';
import { serve } from '../../processes/serve.ts';

interface ServerModule {
  startServer(options: {
    readonly port: number;
    readonly nWorkers: number;
    readonly host: string;
    readonly cwd: string;
    readonly graphs: Readonly<Record<string, string>>;
  }): Promise<unknown>;
}

// Named at run time: the package is installed on demand, and types must hold without it.
const name: string = '@langchain/langgraph-api/server';
const server = (await import(name)) as ServerModule;

const [cwd = '.', port = '0', workers = '1'] = process.argv.slice(2);
const host = '127.0.0.1';
await server.startServer({
  port: Number(port),
  nWorkers: Number(workers),
  host,
  cwd,
  graphs: { noop: `${fileURLToPath(new URL('./graph.ts', import.meta.url))}:graph` },
});
serve({ origin: () => `http://${host}:${port}` });
