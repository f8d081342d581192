import { parseArgs } from 'node:util';
import { readAddresses } from '#app/compose/addresses.ts';
import type { Program, Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, withApp } from '#scripts/cli/with-app.ts';
import { seed, type Seed } from '#app/compose/seed.ts';
import type { App } from '#app/compose.ts';
import type { Config } from '#src/config/config.ts';

/** `NAME=value` of the seeded session's cookie, where there is one. */
async function sessionCookieOf(app: App, config: Config, made: Seed): Promise<{ sessionCookie?: string }> {
  if (config.dashboard.debug === null) return {};
  const { operatorEmail: email, organizationId } = made;
  return { sessionCookie: await app.sessions.openSeeded({ email, organizationId }) };
}

async function show({ out }: Terminal, { app, config }: { app: App; config: Config }, json: boolean): Promise<void> {
  const { api, agents, mcp, objects } = (await readAddresses(config.dataDir)) ?? app.addresses;
  const seeded = await seed(app, config);
  const made = {
    ...seeded,
    ...(await sessionCookieOf(app, config, seeded)),
    baseUrl: api,
    agentsUrl: agents,
    mcpUrl: mcp,
    objectsUrl: objects,
  };
  if (json) out(`${JSON.stringify(made)}\n`);
  else for (const [name, value] of Object.entries(made)) out(`${name.padEnd(16)} ${value}\n`);
}

const usage = 'npm run seed [-- --json]: creates a project with keys and a sign-in, or shows those that exist';

export const seedProject: Program = async (terminal) => {
  const { values } = parseArgs({
    args: [...terminal.args],
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return terminal.out(`${usage}\n`);
  await withApp(terminal, (app, config) => show(terminal, { app, config }, values.json));
};

if (import.meta.main) await orExplain(seedProject);
