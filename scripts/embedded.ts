import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { loadConfig } from '#src/config/config.ts';

const usage = helpText({
  usage: 'npm run embedded -- [options]',
  does: 'Runs the embedded database as a process of its own, until Ctrl-C or SIGTERM. Services with the same DATA_DIR find it.',
  options: [
    ['--data <folder>', 'data folder; default: DATA_DIR'],
    ['--port <n>', 'port on 127.0.0.1, 0 for any free one; default: 27017'],
    ['--socket <path>', 'unix socket in a folder of its own, in place of a port; default: none'],
    ['--host 127.0.0.1', 'the only host that it listens on'],
    ['--print-uri', 'prints the password also where no terminal is'],
  ],
  examples: ['npm run embedded', 'npm run embedded -- --data /srv/inkgraph --port 0'],
});

const options = {
  data: { type: 'string' },
  port: { type: 'string', default: '27017' },
  socket: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  'print-uri': { type: 'boolean', default: false },
} as const;

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port: expected 0 to 65535.\n${usage}`);
  return port;
}

/** `npm run embedded`: the engine until a signal of this process. */
export const embedded = withHelp(usage, async ({ args, env, out }) => {
  const { values } = parseArgs({ args: [...args], options });
  if (!['127.0.0.1', 'localhost'].includes(values.host)) {
    throw new UsageError(
      `--host=${values.host}: the embedded database is for this machine only and listens on 127.0.0.1.`,
    );
  }
  const port = portOf(values.port);
  const stopped = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  // MONGODB_URI is for the services: whether the engine may run here is asked as if there were none.
  const config = loadConfig({ ...env, MONGODB_URI: undefined });
  const dataDir = values.data === undefined ? config.dataDir : resolve(values.data);
  const { socket } = values;
  const database = await openEmbeddedDatabase({ dataDir, ...(socket === undefined ? { port } : { socket }) }).catch(
    (error: unknown) => {
      throw new UsageError((error as Error).message, { cause: error });
    },
  );
  const { address, pid, uri } = database;
  if (!database.owned)
    throw new UsageError(`Another engine already runs on ${dataDir}: process ${pid ?? 'unknown'}, on ${address}.`);
  const shown = values['print-uri'] || process.stdout.isTTY;
  out(shown ? `${uri}\n` : `Listening on ${address}; the password is in ${join(dataDir, 'database', 'engine.json')}\n`);
  // A process that is killed keeps it as well.
  flushCompileCache();
  const failure = await Promise.race([stopped.then(() => undefined), database.failed]);
  if (failure) throw new UsageError(`The embedded engine failed: ${failure.message}`, { cause: failure });
  await database.close();
});

if (import.meta.main) await orExplain(embedded);
