import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { cwd, env, loadEnvFile } from 'node:process';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Program } from '#scripts/cli/terminal.ts';

const environment = [
  ['WORKFLOWS_DIR', 'folder of your own code; default: ./graphs, if it has code'],
  ['DATA_DIR', 'default: ./data; all settings also come from .env of this folder'],
] as const;

const start = withHelp(
  helpText({
    usage: 'npx inkgraph start',
    does: 'Starts the services with the code of this project. Ctrl-C stops them.',
    environment,
    examples: ['npx inkgraph start', 'SERVICES=agents npx inkgraph start'],
  }),
  async () => {
    await import('#app/main.ts');
  },
);

const stdio = withHelp(
  helpText({
    usage: 'npx inkgraph stdio',
    does: 'Serves MCP on standard input and output, for a program that starts its servers itself.',
    environment: [['MCP_KEY', 'service key; default: that of the seeded agent'], ...environment],
    examples: ['npx inkgraph stdio'],
  }),
  async () => {
    await import('#app/stdio.ts');
  },
);

/** Services and their commands, loaded when they are used: uploads need none of it. */
export const serviceCommands: Readonly<Record<string, readonly [load: () => Promise<Program>, words: string]>> = {
  start: [async () => start, 'starts the services, with the code of this project'],
  dev: [async () => (await import('#scripts/dev.ts')).dev, 'the same, and starts them again when a file is saved'],
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
  stdio: [async () => stdio, 'serves MCP on standard input and output'],
};

/** Reads the settings of the project in the working folder: `.env`, and its folder `graphs`. */
export function useProject(): void {
  if (existsSync(join(cwd(), '.env'))) loadEnvFile(join(cwd(), '.env'));
  if (globSync('graphs/**/*.{workflow,node,evaluator}.{ts,js,mts,mjs}').length > 0) env['WORKFLOWS_DIR'] ??= 'graphs';
}
