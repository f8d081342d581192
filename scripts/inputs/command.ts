import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { allInputs } from '#scripts/inputs/all-inputs.ts';
import { breaksPromise, reasonsOf, tableOf, tryOnService } from '#scripts/inputs/main.ts';

const usage = helpText({
  usage: 'npm run inputs [-- options]',
  does: 'Uploads more than 600 odd and hostile files to a service of its own, made from the fixtures, and counts what becomes of them. Ends with 1 when a file with text ends as a blank document without a warning, or when something crashes.',
  options: [
    ['--only <part of a name>', 'these inputs only; may be repeated; default: all'],
    ['--list', 'also prints each input with its end'],
  ],
  examples: ['npm run inputs', 'npm run inputs -- --only "cut off" --list'],
});

/** `npm run inputs`. */
export const runInputs = withHelp(usage, async ({ args, out, err }) => {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string', multiple: true, default: [] }, list: { type: 'boolean', default: false } },
  });
  const { only, list } = values;
  const chosen = (await allInputs()).filter(
    ({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
  );
  const started = performance.now();
  let tried = 0;
  const { results, isUp } = await tryOnService(chosen, ({ input, outcome, reason }) => {
    tried += 1;
    if (list) out(`${outcome.padEnd(12)} ${input.name}: ${reason}\n`);
    else if (tried % 50 === 0) err(`${tried} of ${chosen.length}\n`);
  });
  const broken = results.filter(breaksPromise);
  out(`${tableOf(results)}\n\n${reasonsOf(results)}\n`);
  for (const { outcome, input, reason } of broken) out(`${outcome.toUpperCase()}  ${input.name}  ${reason}\n`);
  const seconds = Math.round((performance.now() - started) / 1_000);
  out(
    `${results.length} inputs in ${seconds} s, ${broken.length} of them broken, 1-minute load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  if (!isUp) out('The service ended by itself.\n');
  return broken.length === 0 && isUp ? undefined : 1;
});

if (import.meta.main) await orExplain(runInputs);
