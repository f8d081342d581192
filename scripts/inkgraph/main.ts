import type { Program } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { own } from '#src/contracts/own.ts';
import { commonUsage } from './connection.ts';
import { init } from './project/init.ts';
import { serviceCommands, useProject } from './project/services.ts';
import { push } from './push.ts';
import { ask, exportAll, get, search } from './read.ts';
import { watch } from './watch.ts';

/** Commands that use a server somewhere. */
const clientCommands: Readonly<Record<string, readonly [program: Program, words: string]>> = {
  push: [push, 'uploads files and folders, runs a workflow over them and writes a table'],
  watch: [watch, 'uploads what comes into a folder'],
  search: [search, 'finds documents'],
  get: [get, 'prints the text of a document, or fetches its file'],
  ask: [ask, 'answers a question from the documents'],
  export: [exportAll, 'writes the documents, or the records of a type, to a file'],
};
const initWords = 'makes a project with workflows and nodes of your own';

const line = ([name, [, words]]: readonly [string, readonly [unknown, string]]): string =>
  `  ${name.padEnd(9)} ${words}`;

const usage = `Usage: npx inkgraph <command> [options]
With a server:
${Object.entries(clientCommands).map(line).join('\n')}
A server of your own:
${[['init', [init, initWords]] as const, ...Object.entries(serviceCommands)].map(line).join('\n')}
npx inkgraph <command> --help tells the options of a command.
${commonUsage}`;

async function commandOf(name: string): Promise<Program> {
  const client = own(clientCommands, name);
  if (client !== undefined) return client[0];
  if (name === 'init') return init;
  const service = own(serviceCommands, name);
  if (service === undefined) {
    const known = [...Object.keys(clientCommands), 'init', ...Object.keys(serviceCommands)];
    throw new UsageError(`${name} is no command. Commands are ${known.join(', ')}.`);
  }
  useProject();
  return service[0]();
}

/** `inkgraph`: the service API from the command line, and a server with graphs of one's own. */
export const inkgraph: Program = async (terminal) => {
  const [name = '--help', ...args] = terminal.args;
  if (name === '--help' || name === 'help') return terminal.out(`${usage}\n`);
  return (await commandOf(name))({ ...terminal, args });
};

if (import.meta.main) await orExplain(inkgraph);
