import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Program, Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { own } from '#src/contracts/own.ts';
import { InkgraphError } from '#src/domain/app-error.ts';
import { commonRows, setVariables } from './connection.ts';
import { init } from './project/init.ts';
import { serviceCommands, useProject } from './project/services.ts';
import { push } from './push.ts';
import { ask, exportAll, get, search } from './read.ts';
import { watch } from './watch.ts';

/** Commands that use a server somewhere, and the one that makes a project. */
const commands: Readonly<Record<string, readonly [program: Program, words: string]>> = {
  push: [push, 'uploads files and folders, runs a workflow over them and writes a table'],
  watch: [watch, 'uploads what comes into a folder'],
  search: [search, 'finds documents'],
  get: [get, 'prints the text of a document, or fetches its file'],
  ask: [ask, 'answers a question from the documents'],
  export: [exportAll, 'writes the documents, or the records of a type, to a file'],
  init: [init, 'makes a project with workflows and nodes of your own'],
};

const usage = helpText({
  usage: 'npx inkgraph <command> [options]',
  does: 'Works with documents over the service API, and runs services with your own code. npx inkgraph <command> --help tells the options of a command.',
  commands: [...Object.entries(commands), ...Object.entries(serviceCommands)].map(([name, [, words]]) => [name, words]),
  options: commonRows,
  examples: [
    setVariables,
    'npx inkgraph push ./scans --wait',
    "npx inkgraph search 'invoice total'",
    'npx inkgraph init my-graphs',
  ],
});

async function commandOf(name: string): Promise<Program> {
  const command = own(commands, name);
  if (command !== undefined) return command[0];
  const service = own(serviceCommands, name);
  if (service === undefined) {
    const known = [...Object.keys(commands), ...Object.keys(serviceCommands)].join(', ');
    throw new UsageError(`${name} is no command. Commands are ${known}.`);
  }
  useProject();
  return inWordsOfHere(await service[0]());
}

/** Words of commands name scripts of the repository, which a project lacks: `npm run graphs -- list` is `npx inkgraph graphs list` there. */
const here = (words: string): string =>
  words.replaceAll(/npm run (?:-s )?([a-z]+)( --(?=\s|$))?/g, (said: string, name: string) =>
    own(serviceCommands, name) === undefined ? said : `npx inkgraph ${name}`,
  );

/** The program with its help and its errors in these words. Other output may be data, and stays. */
function inWordsOfHere(program: Program): Program {
  const run: Program = async (terminal) => {
    try {
      return await program(terminal);
    } catch (error) {
      if (error instanceof InkgraphError) error.message = here(error.message);
      throw error;
    }
  };
  return 'help' in program && typeof program.help === 'string' ? withHelp(here(program.help), run) : run;
}

const helped = withHelp(usage, async () => undefined);

/** `inkgraph`: the service API from the command line, and a server with one's own code. Each command has help of its own. */
export const inkgraph = Object.assign(
  async (terminal: Terminal) => {
    const [name = '--help', ...args] = terminal.args;
    if (/^(-h|--help|help)$/.test(name)) return helped({ ...terminal, args: ['--help'] });
    return (await commandOf(name))({ ...terminal, args });
  },
  { help: usage },
);

if (import.meta.main) await orExplain(inkgraph);
