import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';

const usage = helpText({
  usage: 'npm start',
  does: 'Starts the services: dashboard and API, agents, MCP and object store, with the database included. Ctrl-C stops them.',
  environment: [
    ['DATA_DIR', 'folder of all data; default: ./data'],
    ['SERVICES', 'api, agents or mcp, or several with commas; default: all'],
    ['API_PORT, AGENTS_PORT, MCP_PORT, OBJECTS_PORT', 'default: 3000 to 3003; 0 takes any free port'],
    ['LOG_LEVEL', 'default: info, and warn in a terminal. docs/reference/config.md has all variables'],
  ],
  examples: ['npm start', 'API_PORT=8080 DATA_DIR=/tmp/try npm start', 'SERVICES=agents npm start'],
});

/** `npm start`: app/main.ts with help. */
export const start = withHelp(usage, async ({ args }) => {
  parseArgs({ args: [...args], options: {} });
  await import('#app/main.ts');
});

if (import.meta.main) await orExplain(start);
