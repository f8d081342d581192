import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { loadConfig } from '#src/config/config.ts';
import { configuredAddresses } from '#app/compose/addresses.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { connect, explained } from '#scripts/mcp/connect.ts';
import { snippets } from '#scripts/mcp/snippets.ts';

const usage = helpText({
  usage: 'npm run mcp -- <command> [options]',
  does: 'Calls the MCP tools from the terminal.',
  commands: [
    ['tools', 'the tools, one line each'],
    ["call <tool> ['<json>'|-]", 'calls a tool; - reads the arguments from standard input'],
    ['resources', 'the resources, one line each'],
    ['read <uri>', 'reads a resource'],
    ['prompts', 'the prompts, one line each'],
    ["prompt <name> ['<json>']", 'fills in a prompt'],
    [
      'config [program]',
      'the entry for a program: claude-desktop, claude-code, vscode, cursor, inspector or stdio; default: all',
    ],
  ],
  options: [
    ['--url <url>', 'server, with its service key in MCP_KEY; default: this data folder, with the seeded key'],
    ['--json', 'the whole result as JSON'],
  ],
  examples: [
    'npm run mcp -- tools',
    `npm run mcp -- call search_documents '{"query":"invoice"}'`,
    'npm run mcp -- config claude-desktop',
  ],
});

const options = {
  url: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

interface Print {
  (text: string, whole: unknown): void;
}

function argumentsFrom(text: string | undefined): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '{}');
  } catch (error) {
    throw new UsageError(`The arguments are not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError('The arguments must be a JSON object, such as \'{"query":"invoice"}\'.');
  return value as Record<string, unknown>;
}

const lineOf = (name: string, about: string | undefined): string => `${name}  ${about ?? ''}`.trimEnd();

interface Call {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly print: Print;
}

async function callTool({ client, terminal, print }: Call, [name = '', given]: readonly string[]): Promise<void | 1> {
  const input = argumentsFrom(given === '-' ? await readText(terminal.input) : given);
  const result = await client.callTool(
    { name, arguments: input },
    {
      onprogress: ({ message, progress, total }) =>
        terminal.err(`${message ?? ''} ${progress}${total === undefined ? '' : `/${total}`}\n`),
      resetTimeoutOnProgress: true,
    },
  );
  const shown = result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  print(shown.join('\n\n'), result);
  if (result.isError === true) return 1;
}

async function ask(call: Call, [command, ...rest]: readonly string[]): Promise<void | 1> {
  const { client, print } = call;
  if (command === 'tools') {
    const { tools } = await client.listTools();
    print(tools.map(({ name, description }) => lineOf(name, description)).join('\n'), tools);
  } else if (command === 'call') return callTool(call, rest);
  else if (command === 'resources') {
    const [{ resources }, { resourceTemplates }] = [await client.listResources(), await client.listResourceTemplates()];
    const lines = [
      ...resources.map(({ uri, title, name }) => lineOf(uri, title ?? name)),
      ...resourceTemplates.map(({ uriTemplate, description }) => lineOf(uriTemplate, description)),
    ];
    print(lines.join('\n'), { resources, resourceTemplates });
  } else if (command === 'read') {
    const { contents } = await client.readResource({ uri: rest[0] ?? '' });
    print(contents.map((one) => ('text' in one ? one.text : `[${one.mimeType ?? 'bytes'}]`)).join('\n\n'), contents);
  } else if (command === 'prompts') {
    const { prompts } = await client.listPrompts();
    print(prompts.map(({ name, description }) => lineOf(name, description)).join('\n'), prompts);
  } else {
    const input = argumentsFrom(rest[1]);
    const values = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));
    const { messages } = await client.getPrompt({ name: rest[0] ?? '', arguments: values });
    const shown = messages.map(
      ({ role, content }) => `${role}: ${'text' in content ? content.text : `[${content.type}]`}`,
    );
    print(shown.join('\n\n'), messages);
  }
}

function printConfig({ out }: Terminal, program: string | undefined, at: { url: string; dataDir: string }): void {
  const known = snippets(at);
  if (program !== undefined && known[program] === undefined)
    throw new UsageError(`config needs one of ${Object.keys(known).join(', ')}.`);
  for (const [name, text] of Object.entries(known))
    if (program === undefined || program === name) out(`# ${name}\n${text}\n\n`);
}

const arity: Readonly<Record<string, readonly [number, number]>> = {
  tools: [0, 0],
  call: [1, 2],
  resources: [0, 0],
  read: [1, 1],
  prompts: [0, 0],
  prompt: [1, 2],
  config: [0, 1],
};

/** `npm run mcp`: MCP for people at a terminal. Ends with 1 when a tool says that it could not. */
export const mcp = withHelp(usage, async (terminal) => {
  const { args, env, out } = terminal;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [command = '', ...rest] = positionals;
  const [least, most] = arity[command] ?? [0, -1];
  if (rest.length < least || rest.length > most) throw new UsageError(usage);
  const config = loadConfig(env);
  if (command === 'config')
    return printConfig(terminal, rest[0], {
      url: values.url ?? `${configuredAddresses(config).mcp}/mcp`,
      dataDir: config.dataDir,
    });
  if (values.url !== undefined && config.mcpKey === null)
    throw new UsageError('--url needs a service key. Set MCP_KEY.');
  const { url } = values;
  let client: Client | null = null;
  try {
    client = await connect({ url, key: config.mcpKey ?? undefined }, terminal);
    const print: Print = (text, whole) => out(`${values.json ? JSON.stringify(whole, null, 2) : text}\n`);
    return await ask({ client, terminal, print }, positionals);
  } catch (error) {
    throw explained(error, url);
  } finally {
    await client?.close();
  }
});

if (import.meta.main) await orExplain(mcp);
