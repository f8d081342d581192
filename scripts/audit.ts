import { parseArgs } from 'node:util';
import { cliContext } from '#scripts/cli/cli-context.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { seed } from '#app/compose/seed.ts';
import { auditLines } from '#tools/audit/export-lines.ts';

const usage = helpText({
  usage: 'npm run -s audit -- [options]',
  does: 'Writes the audit log of an organization as JSON Lines, newest first.',
  options: [
    [
      '--organization <org_...>',
      'default: the seeded one; - has what belongs to no organization, such as sign-ins of unknown addresses',
    ],
    ['--since <time>, --until <time>', '2026-11-01 or 2026-11-01T08:00:00Z; default: all'],
    ['--action <name>', 'such as key.issue, or an area such as key; default: all'],
  ],
  examples: ['npm run -s audit -- --since 2026-11-01 --action key', 'npm run -s audit > audit.jsonl'],
});

const options = {
  organization: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  action: { type: 'string' },
} as const;

/** Organization of records about people who belong to none. */
const noOrganization = '-';

/** A day begins at midnight UTC. */
function timeIn(option: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && !Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`--${option} must be a time such as 2026-11-01 or 2026-11-01T08:00:00Z.`);
}

/** `npm run audit`: streams the audit log of an organization. It ends with 1 and a line that says why when it cannot. */
export const audit = withHelp(usage, async (terminal) => {
  const { out } = terminal;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  if (positionals.length > 0) throw new UsageError(usage);
  const from = timeIn('since', values.since);
  const to = timeIn('until', values.until);
  const { action } = values;
  const filter = {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(action !== undefined && { action }),
  };
  await withApp(terminal, async (app, config) => {
    const seeded = await seed(app, config);
    const organizationId = values.organization ?? seeded.organizationId;
    if (organizationId !== noOrganization && (await app.deps.organizations.findOrganization(organizationId)) === null)
      throw new UsageError(`There is no organization ${organizationId}. Correct --organization.`);
    const context = cliContext(app, { organizationId, projectId: seeded.projectId }, ['audit:read']);
    for await (const lines of auditLines(context, filter, Number.POSITIVE_INFINITY)) out(lines);
  });
});

if (import.meta.main) await orExplain(audit);
