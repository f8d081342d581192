import { parseArgs } from 'node:util';
import { readAddresses } from '#src/compose/addresses-file.ts';
import { withApp } from '#scripts/cli/with-app.ts';
import { seed } from '#scripts/cli/seed-data.ts';

/** `npm run seed [-- --json]`: something to begin with, the same at every call. */
await withApp(async (app, config) => {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
  const { api, agents, mcp, objects } = (await readAddresses(config.dataDir)) ?? app.addresses;
  const made = {
    ...(await seed(app, config)),
    baseUrl: api,
    agentsUrl: agents,
    mcpUrl: mcp,
    objectsUrl: objects,
  };
  if (values.json) process.stdout.write(`${JSON.stringify(made)}\n`);
  else for (const [name, value] of Object.entries(made)) process.stdout.write(`${name.padEnd(16)} ${value}\n`);
});
