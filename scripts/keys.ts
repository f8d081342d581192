import { parseArgs } from 'node:util';
import { own } from '#src/contracts/own.ts';
import { Languages, limits } from '#src/contracts/fields.ts';
import { keyPresets, keyScopes, type Scope } from '#src/contracts/scopes.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError, withApp } from '#scripts/cli/with-app.ts';
import { seed } from '#app/compose/seed.ts';
import type { ApiKeyRecord, KeyKind } from '#src/domain/access/api-key.ts';
import { issueKey, revokeKey, rotateKey, type IssuedKey } from '#tools/keys/issue-key.ts';
import { presentKey } from '#tools/keys/present.ts';
import { withoutSlugs } from '#tools/slugs.ts';
import { requireInstalled } from '#tools/uploads/accepted-languages.ts';

const usage = helpText({
  usage: 'npm run keys -- <command> [options]',
  does: 'Creates, lists, revokes and rotates API keys.',
  commands: [
    [
      'create',
      'a workflow key uploads to one workflow; a service key reads workflows, runs them and works with documents',
    ],
    ['list', 'all keys, without their secrets'],
    ['revoke <key_...>', 'ends a key at once'],
    ['rotate <key_...>', 'a new secret; the old one works for --overlap hours more'],
  ],
  options: [
    ['--kind workflow|service', 'create: kind of the key; required'],
    ['--name <name>', 'create: name of the key; required'],
    ['--workflow <wf_...>', 'create: id or slug of the workflow of a workflow key; default: the seeded one'],
    ['--device <id>', 'create: device that the key is for; default: none'],
    ['--days <n>', 'create: days until the key ends; default: never'],
    [
      '--scopes <a,b>|all',
      'create: all that a service key may do; default: read workflows, run them, and work with documents',
    ],
    ['--preset <name>', `create: scopes by name instead: ${Object.keys(keyPresets).join(' or ')}`],
    ['--callback <url>', 'create: URL that is told when the run of an upload has ended; default: none'],
    ['--languages <a,b>', 'create: languages of uploads that name none, such as deu,eng; default: none'],
    ['--rate <n>', 'create: requests a second; default: RATE_LIMIT_PER_SECOND'],
    ['--overlap <hours>', 'rotate: default: 24'],
    ['--organization <org_...>, --project <prj_...>', 'default: those of npm run seed'],
    ['--json', 'JSON instead of text'],
  ],
  examples: [
    'npm run keys -- create --kind service --name backend',
    'npm run keys -- list',
    'npm run keys -- rotate key_01 --overlap 1',
  ],
});

const options = {
  kind: { type: 'string' },
  name: { type: 'string' },
  workflow: { type: 'string' },
  device: { type: 'string' },
  days: { type: 'string' },
  scopes: { type: 'string' },
  preset: { type: 'string' },
  callback: { type: 'string' },
  languages: { type: 'string' },
  rate: { type: 'string' },
  overlap: { type: 'string' },
  organization: { type: 'string' },
  project: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const parse = ({ args }: Terminal) => parseArgs({ args: [...args], options, allowPositionals: true });
type Values = ReturnType<typeof parse>['values'];

function show(key: ApiKeyRecord): Record<string, unknown> {
  const { createdBy: _, revokedAt: __, replacedBy: ___, prefix, ...row } = presentKey(key);
  return { ...row, prefix: `${prefix}...` };
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '');

type Out = Terminal['out'];

function print(out: Out, { json }: Values, rows: readonly Record<string, unknown>[], list = false): void {
  if (json) out(`${JSON.stringify(list ? rows : rows[0])}\n`);
  else
    for (const row of rows)
      out(
        `${Object.entries(row)
          .flatMap(([name, value]) => (value === null ? [] : [`${name}=${shown(value)}`]))
          .join('  ')}\n`,
      );
}

function printIssued(out: Out, values: Values, { record, secret }: IssuedKey): void {
  print(out, values, [{ ...show(record), secret }]);
  if (!values.json) out('The secret is shown this once: only its hash is stored.\n');
}

function expiry({ days }: Values): { expiresAt?: Date } {
  if (days === undefined) return {};
  if (!/^[1-9]\d{0,4}$/.test(days)) throw new UsageError('--days must be a whole number, 1 or more.');
  return { expiresAt: new Date(Date.now() + Number(days) * 86_400_000) };
}

function scopesGiven(values: Values): readonly Scope[] | undefined {
  if (values.preset !== undefined) {
    if (values.scopes !== undefined) throw new UsageError('--preset and --scopes exclude each other. Choose one.');
    const presets: Readonly<Record<string, readonly Scope[]>> = keyPresets;
    const preset = own(presets, values.preset);
    if (preset === undefined) throw new UsageError(`--preset must be ${Object.keys(keyPresets).join(' or ')}.`);
    return preset;
  }
  if (values.scopes === undefined) return undefined;
  if (values.scopes === 'all') return keyScopes;
  return values.scopes.split(',').map((name) => {
    const known = keyScopes.find((scope) => scope === name.trim());
    if (known === undefined) throw new UsageError(`--scopes must be all, or some of ${keyScopes.join(', ')}.`);
    return known;
  });
}

function rateOf({ rate }: Values): number | undefined {
  if (rate === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(rate))
    throw new UsageError('--rate must be a whole number of requests per second, 1 to 999999.');
  return Number(rate);
}

function languagesGiven({ languages }: Values): readonly string[] | undefined {
  if (languages === undefined) return undefined;
  const read = Languages.safeParse(languages.split(',').map((code) => code.trim()));
  if (read.success) return read.data;
  throw new UsageError("--languages must be 1 to 4 of Tesseract's codes with commas between them, such as deu,eng.");
}

function overlapIn({ overlap }: Values): { overlapHours?: number } {
  if (overlap === undefined) return {};
  if (!/^\d{1,3}$/.test(overlap) || Number(overlap) > limits.rotationOverlapHoursMax)
    throw new UsageError(`--overlap must be a whole number of hours, 0 to ${limits.rotationOverlapHoursMax}.`);
  return { overlapHours: Number(overlap) };
}

function kindOf(values: Values): KeyKind {
  if (values.kind === 'workflow' || values.kind === 'service') return values.kind;
  throw new UsageError(`--kind must be workflow or service.\n${usage}`);
}

/** Checks the options before anything is opened. */
function keyGiven(values: Values) {
  const kind = kindOf(values);
  return {
    kind,
    name: values.name ?? `${kind} key`,
    scopes: scopesGiven(values),
    ratePerSecond: rateOf(values),
    callbackUrl: values.callback,
    languages: languagesGiven(values),
    ...(values.device !== undefined && { deviceId: values.device }),
    ...expiry(values),
  };
}

/** `npm run keys -- create|list|revoke|rotate`: API keys from the command line, audited as `cli`. */
export const keys = withHelp(usage, async (terminal) => {
  const { out } = terminal;
  const { values, positionals } = parse(terminal);
  const [command, id, ...rest] = positionals;
  const wantsId = command === 'rotate' || command === 'revoke';
  const understood = wantsId || command === 'list' || command === 'create';
  if (!understood || rest.length > 0 || wantsId !== (id !== undefined)) throw new UsageError(usage);
  const given = command === 'create' ? keyGiven(values) : null;
  const overlap = overlapIn(values);
  await withApp(terminal, async (app, config) => {
    const seeded = await seed(app, config);
    const organizationId = values.organization ?? seeded.organizationId;
    if (command === 'list') print(out, values, (await app.deps.apiKeys.list(organizationId)).map(show), true);
    else if (given !== null) {
      requireInstalled(given.languages, app.deps.installation);
      const projectId = values.project ?? seeded.projectId;
      const workflowId = values.workflow ?? (given.kind === 'workflow' ? seeded.workflowId : undefined);
      const wanted = {
        ...given,
        organizationId,
        projectId,
        createdBy: 'cli',
        ...(workflowId !== undefined && { workflowId }),
      };
      const who = { principal: { organizationId, projectIds: [projectId] }, deps: app.deps };
      printIssued(out, values, await issueKey(app.deps, await withoutSlugs(who, wanted)));
    } else if (command === 'rotate' && id !== undefined)
      printIssued(out, values, await rotateKey(app.deps, organizationId, id, { actor: 'cli', ...overlap }));
    else if (id !== undefined) {
      await revokeKey(app.deps, organizationId, id, 'cli');
      out(`${id} is revoked.\n`);
    }
  });
});

if (import.meta.main) await orExplain(keys);
