import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { cwd, env, loadEnvFile } from 'node:process';
import type { Program } from '#scripts/cli/terminal.ts';

/** A module that works by itself when it is imported. */
const byImport = (load: () => Promise<unknown>, usage: string): Program => {
  return async (terminal) => {
    if (terminal.args.includes('--help')) return terminal.out(`${usage}\n`);
    await load();
  };
};

const about = 'Settings are environment variables, also from .env of this folder. WORKFLOWS_DIR defaults to graphs.';

/** Services and their commands, loaded when they are used: uploads need none of it. */
export const serviceCommands: Readonly<Record<string, readonly [load: () => Promise<Program>, words: string]>> = {
  start: [
    async () => byImport(() => import('#app/main.ts'), `Usage: npx inkgraph start\nStarts the services. ${about}`),
    'starts the services, with the graphs of this project',
  ],
  dev: [
    async () =>
      byImport(
        () => import('#scripts/dev.ts'),
        `Usage: npx inkgraph dev\nStarts the services, restarts them when a graph is saved, and tells type errors. ${about}`,
      ),
    'the same, and restarts when a graph is saved',
  ],
  check: [async () => (await import('./check.ts')).check, 'tells what is wrong with the graphs of this project'],
  graphs: [async () => (await import('#scripts/graphs.ts')).graphs, 'draws, compares, exports and imports workflows'],
  seed: [async () => (await import('#scripts/seed.ts')).seedProject, 'prints keys and the sign-in of the demo project'],
  keys: [async () => (await import('#scripts/keys.ts')).keys, 'makes and revokes API keys'],
  secrets: [async () => (await import('#scripts/secrets.ts')).secrets, 'sets secrets that workflows use'],
  doctor: [async () => (await import('#scripts/doctor.ts')).doctor, 'tells what is missing on this machine'],
  languages: [async () => (await import('#scripts/languages/main.ts')).languages, 'adds languages for OCR'],
  db: [async () => (await import('#scripts/db.ts')).db, 'shows, migrates and compacts the database'],
  audit: [async () => (await import('#scripts/audit.ts')).audit, 'prints the audit log'],
  queue: [async () => (await import('#scripts/queue.ts')).queue, 'shows the queue of runs'],
  mcp: [
    async () => (await import('#scripts/mcp.ts')).mcp,
    'prints the configuration of an MCP client, or tries the server',
  ],
  stdio: [
    async () =>
      byImport(() => import('#app/stdio.ts'), 'Usage: npx inkgraph stdio\nServes MCP on standard input and output.'),
    'serves MCP on standard input and output',
  ],
};

/** Reads the settings of the project in the working folder: `.env`, and its folder `graphs`. */
export function useProject(): void {
  if (existsSync(join(cwd(), '.env'))) loadEnvFile(join(cwd(), '.env'));
  if (globSync('graphs/**/*.{workflow,node,evaluator}.{ts,js,mts,mjs}').length > 0) env['WORKFLOWS_DIR'] ??= 'graphs';
}
