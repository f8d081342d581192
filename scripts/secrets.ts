import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { cliContext } from '#scripts/cli/cli-context.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { seed } from '#app/compose/seed.ts';
import { callTool } from '#tools/call.ts';
import type { App } from '#app/compose.ts';
import type { RotatedBatch } from '#src/stores/secrets.ts';
import { bindSecret } from '#tools/secrets/bind-secret.ts';
import { tools } from '#tools/index.ts';

const usage = helpText({
  usage: 'npm run secrets -- <command> [options]',
  does: 'Sets the secrets that workflows of a project use.',
  commands: [
    ['set <NAME>', 'adds or replaces a secret; the value is read from standard input'],
    ['bind <NAME>', 'replaces the hosts of a secret, which keeps its value'],
    ['list', 'names and hosts, never values'],
    ['delete <NAME>', 'removes a secret'],
    ['rotate', 'seals the secrets of all projects with the current SECRETS_KEY; ends with 1 if some do not open'],
    ['webhook-secret', 'prints the secret that verifies webhooks of the project'],
  ],
  options: [
    [
      '--host <host>',
      'set, bind: api.example.org, *.example.org, api.example.org:8443 or http://127.0.0.1:9000; repeatable, required',
    ],
    ['--organization <org_...>, --project <prj_...>', 'default: those of npm run seed'],
  ],
  examples: ['npm run secrets -- set ERP_TOKEN --host erp.example.org < token.txt', 'npm run secrets -- list'],
});

const options = {
  host: { type: 'string', multiple: true, default: [] as string[] },
  organization: { type: 'string' },
  project: { type: 'string' },
} as const;

const doneBy: Readonly<Record<string, string>> = { set: 'set', bind: 'bound', delete: 'deleted' };

const goesTo = (hosts: readonly string[]): string =>
  hosts.length === 0 ? 'to no host: bind it' : `to ${hosts.join(', ')}`;

/** Without the line break that `echo` puts at its end. */
async function valueFrom({ input }: Terminal): Promise<string> {
  if (input.isTTY === true)
    throw new UsageError('Send the value on standard input: npm run secrets -- set NAME < file-with-the-value');
  return (await readText(input)).replace(/\r?\n$/, '');
}

/** Small batches: each secret is one write, and a process that ends goes on at the next call. */
async function rotateAll({ deps }: App, { out }: Terminal): Promise<void | 1> {
  let resealed = 0;
  const unopened: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const batch: RotatedBatch = await deps.secrets.rotate(after, 100);
    resealed += batch.resealed;
    unopened.push(...batch.unopened);
    after = batch.next;
  }
  out(`${resealed} secrets are sealed anew. ${unopened.length} do not open.\n`);
  for (const name of unopened) out(`${name}: set it again, or add its key to SECRETS_KEY_PREVIOUS\n`);
  if (unopened.length > 0) return 1;
  out('SECRETS_KEY_PREVIOUS is needed until receivers of webhooks have the new webhook-secret.\n');
}

/** `npm run secrets -- set|bind|list|delete|rotate|webhook-secret`: ends with 1 and a line that says why when it cannot. */
export const secrets = withHelp(usage, async (terminal) => {
  const { out } = terminal;
  const { values, positionals } = parseArgs({ args: [...terminal.args], options, allowPositionals: true });
  const [command, name, ...rest] = positionals;
  const bound = command === 'set' || command === 'bind';
  const named = bound || command === 'delete';
  const understood = named || command === 'list' || command === 'webhook-secret' || command === 'rotate';
  if (!understood || rest.length > 0 || named !== (name !== undefined)) throw new UsageError(usage);
  if (bound !== values.host.length > 0) throw new UsageError(usage);
  const value = command === 'set' ? await valueFrom(terminal) : '';
  if (command === 'rotate') return withApp(terminal, (app) => rotateAll(app, terminal));
  await withApp(terminal, async (app, config) => {
    const seeded = await seed(app, config);
    const organizationId = values.organization ?? seeded.organizationId;
    const projectId = values.project ?? seeded.projectId;
    if ((await app.deps.organizations.findProject(organizationId, projectId)) === null)
      throw new UsageError(`Organization ${organizationId} has no project ${projectId}. Correct --project.`);
    const context = cliContext(app, { organizationId, projectId }, ['secrets:manage']);
    if (command === 'list') {
      const listed = await callTool(tools.listSecrets, context, {});
      for (const one of listed.secrets)
        out(`${one.name}  set ${one.createdAt} by ${one.createdBy}  ${goesTo(one.hosts)}\n`);
    } else if (name === undefined) out(`${app.deps.webhookSecretOf(projectId)}\n`);
    else {
      if (command === 'set') await callTool(tools.setSecret, context, { name, value, hosts: values.host });
      else if (command === 'bind') await bindSecret(context, { projectId, name, hosts: values.host });
      else await callTool(tools.deleteSecret, context, { name });
      out(`${name} is ${doneBy[command ?? '']}.\n`);
    }
  });
});

if (import.meta.main) await orExplain(secrets);
