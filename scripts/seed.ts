import { parseArgs } from 'node:util';
import { readAddresses } from '#app/compose/addresses-file.ts';
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

async function run(app: App, config: Config, json: boolean): Promise<void> {
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
  if (json) process.stdout.write(`${JSON.stringify(made)}\n`);
  else for (const [name, value] of Object.entries(made)) process.stdout.write(`${name.padEnd(16)} ${value}\n`);
}

const usage = 'npm run seed [-- --json]: creates a project with keys and a sign-in, or shows those that exist';

await orExplain(async () => {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return void process.stdout.write(`${usage}\n`);
  await withApp((app, config) => run(app, config, values.json));
});
