import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { checkGraph } from '#graphs/check.ts';
import { checkCodeWorkflows } from '#graphs/code/check-code.ts';
import { loadCode } from '#graphs/code/load-code.ts';
import { loadConfig } from '#src/config/config.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { sayIssues } from '#scripts/graphs/commands.ts';
import { typeErrors } from './type-errors.ts';

const usage = helpText({
  usage: 'npx inkgraph check',
  does: 'Loads the code of WORKFLOWS_DIR, and tells what is wrong with its workflows and their types. Exit code 1: something is.',
  environment: [['WORKFLOWS_DIR', 'default: ./graphs, if it has code']],
  examples: ['npx inkgraph check'],
});

/** `inkgraph check`: everything that is wrong with the operator's own code. */
export const check = withHelp(usage, async (terminal) => {
  parseArgs({ args: [...terminal.args], options: {} });
  const { workflowsDir } = loadConfig(terminal.env);
  if (workflowsDir === null) throw new UsageError('There is no folder graphs, and WORKFLOWS_DIR is not set. Set it.');
  // Types are checked beside, so that both kinds of errors are told at once.
  const types = typeErrors(workflowsDir);
  types.catch(() => undefined);
  const code = await loadCode(workflowsDir);
  for (const { id, graph } of code.workflows.filter((one) => code.files.has(one.id))) {
    const { valid, issues, stats } = checkGraph(graph, code.catalog);
    const place = `${code.files.get(id) ?? ''} (${id})`;
    terminal.out(`${valid ? 'ok    ' : 'broken'}  ${place}  ${stats.nodes} nodes, ${stats.edges} edges\n`);
    sayIssues({ terminal }, issues);
  }
  const said = await types;
  if (said !== null) terminal.out(said);
  checkCodeWorkflows(code);
  if (said === null) return;
  terminal.err(`The types of ${relative('.', workflowsDir)} have errors. Correct them and check again.\n`);
  return 1;
});
