/** The LangGraph server for development, all in memory. Outside the checked sources: its packages are installed on demand. */
import { fileURLToPath } from 'node:url';
import { startServer } from '@langchain/langgraph-api/server';
import { serve } from '../../processes/serve.ts';

const [cwd, port, workers] = process.argv.slice(2);
const { host } = await startServer({
  port: Number(port),
  nWorkers: Number(workers),
  host: '127.0.0.1',
  cwd,
  graphs: { noop: `${fileURLToPath(new URL('./graph.mjs', import.meta.url))}:graph` },
});
serve({ origin: () => (host.includes('://') ? host : `http://${host}`) });
