import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { seed } from '#app/compose/seed.ts';

const usage = helpText({
  usage: 'npm run queue -- <command> [options]',
  does: 'Shows the queue, and weighs organizations.',
  commands: [
    ['depth', 'queued runs, and how long the oldest one has waited'],
    [
      'weight <n>',
      "share of the workers' turns that an organization has beside others, 0.01 to 100 (1 at first), for runs that are queued from now on",
    ],
  ],
  options: [['--organization <org_...>', 'weight: default: the seeded one']],
  examples: ['npm run queue -- depth', 'npm run queue -- weight 2.5'],
});

const options = {
  organization: { type: 'string' },
} as const;

function weightOf(text: string): number {
  const weight = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : 0;
  if (weight < 0.01 || weight > 100) throw new UsageError('The weight must be a number from 0.01 to 100, such as 2.5.');
  return weight;
}

/** `npm run queue -- depth|weight`: ends with 1 and a line that says why when it cannot. */
export const queue = withHelp(usage, async (terminal) => {
  const { args, out } = terminal;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [command, value, ...rest] = positionals;
  const weighs = command === 'weight';
  if ((!weighs && command !== 'depth') || rest.length > 0 || weighs !== (value !== undefined))
    throw new UsageError(usage);
  const weight = value === undefined ? null : weightOf(value);
  await withApp(terminal, async (app, config) => {
    const { executions, organizations } = app.deps;
    if (weight === null) {
      const { depth, oldest } = await executions.depth();
      const waits = oldest === null ? '' : `; the oldest has waited since ${oldest.queuedAt.toISOString()}`;
      return out(`${depth} queued runs${waits}\n`);
    }
    const organizationId = values.organization ?? (await seed(app, config)).organizationId;
    if ((await organizations.findOrganization(organizationId)) === null)
      throw new UsageError(`There is no organization ${organizationId}. Correct --organization.`);
    await executions.setQueueWeight(organizationId, weight);
    out(`Runs of ${organizationId} that are queued from now on have the weight ${weight}.\n`);
  });
});

if (import.meta.main) await orExplain(queue);
