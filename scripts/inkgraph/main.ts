import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Program, Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { commonRows, setVariables } from './connection.ts';
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

const usage = helpText({
  usage: 'npx inkgraph <command> [options]',
  does: 'Works with documents over the service API. npx inkgraph <command> --help tells the options of a command.',
  commands: Object.entries(commands).map(([name, [, words]]) => [name, words]),
  options: commonRows,
  examples: [setVariables, 'npx inkgraph push ./scans --wait', "npx inkgraph search 'invoice total'"],
});

/** Carries out one of the commands, each with help of its own. */
const runCommand: Program = async (terminal) => {
  const [name = '', ...args] = terminal.args;
  const command = new Map(Object.entries(commands)).get(name);
  if (command === undefined)
    throw new UsageError(`${name} is no command. Commands are ${Object.keys(commands).join(', ')}.`);
  return command[0]({ ...terminal, args });
};

const helped = withHelp(usage, async () => undefined);

/** `inkgraph`: the service API from the command line. */
export const inkgraph = Object.assign(
  async (terminal: Terminal) => {
    const [name = '--help'] = terminal.args;
    return /^(-h|--help|help)$/.test(name) ? helped({ ...terminal, args: ['--help'] }) : runCommand(terminal);
  },
  { help: usage },
);

if (import.meta.main) await orExplain(inkgraph);
