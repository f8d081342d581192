import type { Program } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { commonUsage } from './connection.ts';
import { push } from './push.ts';
import { ask, exportAll, get, search } from './read.ts';
import { watch } from './watch.ts';

const commands: Readonly<Record<string, readonly [program: Program, words: string]>> = {
  push: [push, 'uploads files and folders, runs a workflow over them and writes a table'],
  watch: [watch, 'uploads what comes into a folder'],
  search: [search, 'finds documents'],
  get: [get, 'prints the text of a document, or fetches its file'],
  ask: [ask, 'answers a question from the documents'],
  export: [exportAll, 'writes the documents, or the records of a type, to a file'],
};

const usage = `Usage: npx inkgraph <command> [options]
${Object.entries(commands)
  .map(([name, [, words]]) => `  ${name.padEnd(8)} ${words}`)
  .join('\n')}
npx inkgraph <command> --help tells the options of a command.
${commonUsage}`;

/** `inkgraph`: the service API from the command line. */
export const inkgraph: Program = async (terminal) => {
  const [name = '--help', ...args] = terminal.args;
  if (name === '--help' || name === 'help') return terminal.out(`${usage}\n`);
  const command = new Map(Object.entries(commands)).get(name);
  if (command === undefined)
    throw new UsageError(`${name} is no command. Commands are ${Object.keys(commands).join(', ')}.`);
  return command[0]({ ...terminal, args });
};

if (import.meta.main) await orExplain(inkgraph);
