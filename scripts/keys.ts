import { parseArgs } from 'node:util';
import { scopes, type Scope } from '#src/contracts/scopes.ts';
import { withApp, UsageError } from '#scripts/cli/with-app.ts';
import { seed } from '#scripts/cli/seed-data.ts';
import { keyIsLive, type ApiKeyRecord, type KeyKind } from '#src/domain/access/api-key.ts';
import { issueKey, revokeKey, rotateKey, type IssuedKey } from '#src/domain/access/issue-key.ts';

const usage = `Usage: npm run keys -- <command> [options]
  create --kind workflow|service --name <name> [--workflow <wf_...>] [--device <id>] [--days <n>] [--scopes <a,b>|all]
                       service keys read workflows, run them and work with documents; --scopes adds to that
  list
  revoke <key_...>
  rotate <key_...>     a new secret; the old one works for 24 more hours
Options for all: --organization <org_...> --project <prj_...> (default: the seeded ones), --json`;

const options = {
  kind: { type: 'string' },
  name: { type: 'string' },
  workflow: { type: 'string' },
  device: { type: 'string' },
  days: { type: 'string' },
  scopes: { type: 'string' },
  organization: { type: 'string' },
  project: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const { values, positionals } = parseArgs({ options, allowPositionals: true, strict: false });

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function state(key: ApiKeyRecord): string {
  if (key.revokedAt !== null) return 'revoked';
  if (!keyIsLive(key, new Date())) return 'expired';
  return key.replacedBy === null ? 'live' : `until ${key.graceUntil?.toISOString() ?? ''}`;
}

function show(key: ApiKeyRecord): Record<string, unknown> {
  const { _id: id, kind, name, prefix, projectId, agentGraphId, deviceId, createdAt, expiresAt, lastUsedAt } = key;
  return {
    id,
    kind,
    name,
    prefix: `${prefix}...`,
    state: state(key),
    projectId,
    agentGraphId,
    deviceId,
    createdAt,
    expiresAt,
    lastUsedAt,
  };
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '');

function print(rows: readonly Record<string, unknown>[], list = false): void {
  if (values.json === true) process.stdout.write(`${JSON.stringify(list ? rows : rows[0])}\n`);
  else
    for (const row of rows)
      process.stdout.write(
        `${Object.entries(row)
          .flatMap(([name, value]) => (value === null ? [] : [`${name}=${shown(value)}`]))
          .join('  ')}\n`,
      );
}

function printIssued({ record, secret }: IssuedKey): void {
  print([{ ...show(record), secret }]);
  if (values.json !== true) process.stdout.write('The secret is shown this once: only its hash is stored.\n');
}

function expiry(): { expiresAt?: Date } {
  const days = text(values.days);
  if (days === undefined) return {};
  if (!/^[1-9]\d{0,4}$/.test(days)) throw new UsageError('--days: expected a whole number of days, 1 or more.');
  return { expiresAt: new Date(Date.now() + Number(days) * 86_400_000) };
}

function scopesGiven(): readonly Scope[] | undefined {
  if (values.scopes === undefined) return undefined;
  if (values.scopes === 'all') return scopes;
  return values.scopes.split(',').map((name) => {
    const known = scopes.find((scope) => scope === name.trim());
    if (known === undefined) throw new UsageError(`--scopes: expected all, or some of ${scopes.join(', ')}.`);
    return known;
  });
}

function kindOf(): KeyKind {
  if (values.kind === 'workflow' || values.kind === 'service') return values.kind;
  throw new UsageError(`--kind: expected workflow or service.\n${usage}`);
}

/** `npm run keys -- create|list|revoke|rotate`: API keys from the command line, audited as `cli`. */
if (values.help === true) process.stdout.write(`${usage}\n`);
else
  await withApp(async (app, config) => {
    const [command, id] = positionals;
    const seeded = await seed(app, config);
    const organizationId = text(values.organization) ?? seeded.organizationId;
    const projectId = text(values.project) ?? seeded.projectId;
    if (command === 'list') {
      const keys = await app.deps.apiKeys.list(organizationId);
      print(keys.map(show), true);
    } else if (command === 'create') {
      const kind = kindOf();
      const workflowId = text(values.workflow) ?? (kind === 'workflow' ? seeded.workflowId : undefined);
      const deviceId = text(values.device);
      printIssued(
        await issueKey(app.deps, {
          kind,
          name: text(values.name) ?? `${kind} key`,
          organizationId,
          projectId,
          createdBy: 'cli',
          ...(workflowId === undefined ? {} : { workflowId }),
          ...(deviceId === undefined ? {} : { deviceId }),
          scopes: scopesGiven(),
          ...expiry(),
        }),
      );
    } else if (command === 'rotate' && id !== undefined)
      printIssued(await rotateKey(app.deps, organizationId, id, 'cli'));
    else if (command === 'revoke' && id !== undefined) {
      await revokeKey(app.deps, organizationId, id, 'cli');
      process.stdout.write(`${id} is revoked.\n`);
    } else throw new UsageError(usage);
  });
