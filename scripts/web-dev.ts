import { parseArgs } from 'node:util';
import react from '@vitejs/plugin-react';
import tailwind from '@tailwindcss/vite';
import { createServer } from 'vite';
import { readAddresses } from '#app/compose/addresses.ts';
import { loadConfig } from '#src/config/config.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';

const usage = helpText({
  usage: 'npm run web:dev [-- --port <n>]',
  does: 'Serves the dashboard from web/, and replaces parts as their files are saved. All else goes to the running service of DATA_DIR (npm run dev). Sign in at the address that it prints.',
  options: [['--port <n>', 'default: 5173']],
  examples: ['npm run web:dev'],
});

/** Vite in front of a running service. */
export const webDev = withHelp(usage, async ({ args, env }) => {
  const { values } = parseArgs({ args: [...args], options: { port: { type: 'string', default: '5173' } } });
  const addresses = await readAddresses(loadConfig(env).dataDir);
  if (addresses === null)
    throw new UsageError('No service is running here. Start one in another terminal: npm run dev');
  const target = addresses.api;
  const serverPages = [
    'sign-in',
    'sign-up',
    'organizations',
    'apps',
    'passkeys',
    'two-factor',
    'reauthenticate',
    'invitations',
  ];
  const server = await createServer({
    root: new URL('../web/', import.meta.url).pathname,
    configFile: false,
    plugins: [react(), tailwind()],
    server: {
      port: Number(values.port),
      proxy: {
        [`^/(api|media|oauth|\\.well-known|${serverPages.join('|')})`]: {
          target,
          changeOrigin: true,
          // The service takes requests of its own pages alone.
          headers: { origin: target },
        },
      },
    },
  });
  await server.listen();
  server.printUrls();
});

if (import.meta.main) await orExplain(webDev);
