import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { seed } from '#app/compose/seed.ts';
import { loadCode } from '#graphs/code/load-code.ts';
import { loadConfig } from '#src/config/config.ts';
import { check, diff, draw, exportGraph, list, verify, type Request } from '#scripts/graphs/commands.ts';
import { importGraph } from '#scripts/graphs/import-graph.ts';
import { needStore } from '#scripts/graphs/load.ts';
import { storeOf, type Store } from '#scripts/graphs/store.ts';

const usage = helpText({
  usage: 'npm run graphs -- <command> [options]',
  does: 'Checks, exports, imports, compares and draws workflows. A graph is a .json or .workflow.ts file, the id of a workflow in code, or that of one in the store: wf_... for its draft, wf_...@3 for version 3.',
  commands: [
    ['check [<graph>...]', 'all that is wrong; without a graph: all workflows in code'],
    ['list', 'workflows in code, and in the store'],
    ['export <graph>', 'writes a graph as ts or json'],
    ['import <file>', 'a new workflow with this draft, or the next draft of --workflow'],
    ['diff <graph> <graph>', 'edit operations that turn the first into the second'],
    ['draw <graph>', 'writes a picture as mermaid or svg'],
    ['verify <run_...>...', 'compares receipts with stored steps and outputs'],
  ],
  options: [
    ['--format <format>', 'export: ts or json; draw: mermaid or svg; default: the first'],
    ['--out <file>', 'export, draw: default: standard output'],
    ['--workflow <wf_...>', 'import: default: a new workflow'],
    ['--note <text>', 'import: note of the draft; default: none'],
    ['--json', 'check, list, import, diff, verify: JSON instead of text'],
    ['--organization <org_...>, --project <prj_...>', 'default: those of npm run seed'],
  ],
  examples: ['npm run graphs -- check', 'npm run graphs -- draw wf_triage --format svg --out triage.svg'],
});

const options = {
  format: { type: 'string' },
  out: { type: 'string' },
  workflow: { type: 'string' },
  note: { type: 'string' },
  organization: { type: 'string' },
  project: { type: 'string' },
  json: { type: 'boolean' },
} as const;
type Values = ReturnType<typeof parse>['values'];

interface Command {
  /** Fewest and most graphs. */
  readonly takes: readonly [number, number];
  readonly options: readonly (keyof Values)[];
  readonly formats?: readonly string[];
  /** Also for graphs outside the store. */
  readonly alwaysStored?: true;
  run(request: Request, store: Store | null, values: Values): Promise<void | 1>;
}

const commands: Readonly<Record<string, Command>> = {
  check: { takes: [0, Infinity], options: ['json'], run: check },
  list: { takes: [0, 0], options: ['json'], alwaysStored: true, run: (request, store) => list(request, open(store)) },
  export: { takes: [1, 1], options: ['format', 'out'], formats: ['ts', 'json'], run: exportGraph },
  import: {
    takes: [1, 1],
    options: ['workflow', 'note', 'json'],
    alwaysStored: true,
    run: (request, store, { workflow, note }) => importGraph(request, open(store), { workflow, note }),
  },
  diff: { takes: [2, 2], options: ['json'], run: diff },
  draw: { takes: [1, 1], options: ['format', 'out'], formats: ['mermaid', 'svg'], run: draw },
  verify: {
    takes: [1, Infinity],
    options: ['json'],
    alwaysStored: true,
    run: (request, store) => verify(request, open(store)),
  },
};

function open(store: Store | null): Store {
  if (store) return store;
  throw new Error('the store is not open');
}

function parse({ args }: Terminal) {
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

/** Refuses what the command does not know, instead of leaving it out. */
function refuseUnknown(
  name: string,
  command: Command,
  { values, refs }: { values: Values; refs: readonly string[] },
): void {
  const known = new Set<string>([...command.options, 'organization', 'project']);
  for (const option of Object.keys(values))
    if (!known.has(option)) throw new UsageError(`${name} has no option --${option}.\n${usage}`);
  const [fewest, most] = command.takes;
  if (refs.length < fewest || refs.length > most) throw new UsageError(usage);
  if (values.format !== undefined && command.formats?.includes(values.format) === false)
    throw new UsageError(`--format must be ${command.formats.join(' or ')}.`);
}

/** `npm run graphs -- check|list|export|import|diff|draw|verify`: workflows from the command line. */
export const graphs = withHelp(usage, async (terminal) => {
  const { values, positionals } = parse(terminal);
  const [name = '', ...refs] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(usage);
  refuseUnknown(name, command, { values, refs });
  const code = await loadCode(loadConfig(terminal.env).workflowsDir);
  const { format, out, json = false } = values;
  const request: Request = { terminal, refs, code, format, out, json };
  if (!needStore(refs, code.workflows) && command.alwaysStored !== true) return command.run(request, null, values);
  return withApp(terminal, async (app, config) => {
    const seeded = await seed(app, config);
    const organizationId = values.organization ?? seeded.organizationId;
    const projectId = values.project ?? seeded.projectId;
    return command.run(request, storeOf(app, { organizationId, projectId }), values);
  });
});

if (import.meta.main) await orExplain(graphs);
