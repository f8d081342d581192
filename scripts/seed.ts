import { parseArgs } from 'node:util';
import { readAddresses } from '#app/compose/addresses.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { hashKey, shownScopes } from '#src/domain/access/api-key.ts';
import { seed, type Seed } from '#app/compose/seed.ts';
import type { App } from '#app/compose.ts';
import type { Config } from '#src/config/config.ts';

/** `NAME=value` of the seeded session's cookie, where there is one. */
async function sessionCookieOf(app: App, config: Config, made: Seed): Promise<{ sessionCookie?: string }> {
  if (config.dashboard.debug === null) return {};
  const { operatorEmail: email, organizationId } = made;
  return { sessionCookie: await app.sessions.openSeeded({ email, organizationId }) };
}

/** A line that sets a variable in a shell. In single quotes, a shell replaces nothing. */
export const exportLine = (name: string, value: string): string =>
  `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`;

/** Variables that the guides and the examples read, and the field of each. */
const variables = {
  WORKFLOW_KEY: 'workflowKey',
  SERVICE_KEY: 'serviceKey',
  AGENT_KEY: 'agentKey',
  EMAIL: 'operatorEmail',
  PASSWORD: 'operatorPassword',
  WORKFLOW_ID: 'workflowId',
  BASE_URL: 'baseUrl',
  MCP_URL: 'mcpUrl',
} as const;

type Form = 'text' | 'json' | 'env';

const keyFields = ['workflowKey', 'serviceKey', 'agentKey'] as const;

/** `serviceKeyScopes` and its like: everything that each key may do. A revoked key has none. */
async function scopesOfKeys({ deps }: App, seeded: Seed): Promise<Record<string, readonly string[]>> {
  const keys = await Promise.all(keyFields.map((field) => deps.apiKeys.findByHash(hashKey(seeded[field]))));
  return Object.fromEntries(
    keys.map((key, at) => [`${keyFields[at]}Scopes`, key?.revokedAt === null ? shownScopes(key) : []]),
  );
}

async function show({ out }: Terminal, { app, config }: { app: App; config: Config }, form: Form): Promise<void> {
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
  const scopes = await scopesOfKeys(app, seeded);
  if (form === 'json') out(`${JSON.stringify({ ...made, ...scopes })}\n`);
  else if (form === 'env')
    for (const [name, field] of Object.entries(variables)) out(`${exportLine(name, made[field])}\n`);
  else
    for (const [name, value] of Object.entries({ ...made, ...scopes }))
      out(`${name.padEnd(17)} ${Array.isArray(value) ? value.join(' ') : value}\n`);
}

const usage = helpText({
  usage: 'npm run seed [-- --json | --env]',
  does: 'Creates an organization, a project with keys and a sign-in, or shows those that it created before.',
  options: [
    ['--json', 'one line of JSON'],
    ['--env', 'variables for a shell'],
  ],
  examples: ['npm run seed', 'eval "$(npm run -s seed -- --env)"'],
});

export const seedProject = withHelp(usage, async (terminal) => {
  const { values } = parseArgs({
    args: [...terminal.args],
    options: {
      json: { type: 'boolean', default: false },
      env: { type: 'boolean', default: false },
    },
  });
  if (values.json && values.env) throw new UsageError('--json and --env exclude each other. Choose one.');
  const form = values.json ? 'json' : values.env ? 'env' : 'text';
  await withApp(terminal, (app, config) => show(terminal, { app, config }, form));
});

if (import.meta.main) await orExplain(seedProject);
