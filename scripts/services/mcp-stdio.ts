import { parseArgs } from 'node:util';
import { programAt } from '#app/bundle/program.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';

const usage = helpText({
  usage: 'npm run -s mcp:stdio',
  does: 'Serves MCP to one local program over standard input and output, until the program closes them.',
  environment: [
    ['DATA_DIR', 'folder of all data; default: ./data'],
    ['MCP_KEY', 'service key of the program; default: the key for agents that npm run seed made'],
  ],
  examples: ['npm run -s mcp:stdio', 'npm run mcp -- config claude-desktop   # writes the entry for a program'],
});

/** `npm run mcp:stdio`: app/stdio.ts with help. */
export const mcpStdio = withHelp(usage, async ({ args, env }) => {
  parseArgs({ args: [...args], options: {} });
  await import(await programAt('app/stdio', env));
});

if (import.meta.main) await orExplain(mcpStdio);
