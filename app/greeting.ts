import { relative, sep } from 'node:path';
import type { Addresses } from '#app/compose/addresses.ts';
import { readSeed } from '#app/compose/access/seed-file.ts';
import type { Config } from '#src/config/config.ts';
import { isPackage, version } from '#src/config/version.ts';

/** Output of a process: standard output, where people read it or a program does. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

type Row = readonly [name: string, value: string, note?: string];

/** Commands that a person types next. In the repository they work as they are, on an empty folder too. */
interface Commands {
  readonly seed: string;
  readonly firstUpload: string;
}

const ofRepository: Commands = {
  seed: 'npm run seed',
  firstUpload:
    'eval "$(npm run -s seed -- --env)"; npm run -s inkgraph -- push test/fixtures/receipt.jpg --workflow wf_receipt_extraction --wait',
};
export const ofPackage: Commands = {
  seed: 'npx inkgraph seed',
  firstUpload: 'eval "$(npx inkgraph seed --env)"; npx inkgraph push ./scans --wait',
};

/** A folder as a person would type it here. */
function typed(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === '' || path.startsWith('..') ? folder : `.${sep}${path}`;
}

function addressRows({ api, agents, mcp }: Addresses, { services, web }: Config): Row[] {
  const rows: Row[] = [];
  if (services.has('api'))
    rows.push([web === null ? 'API' : 'Dashboard', api], ['API docs', `${api}/api/openapi.json`]);
  if (services.has('mcp')) rows.push(['MCP', `${mcp}/mcp`]);
  if (services.size === 1 && services.has('agents')) rows.push(['Agents', agents]);
  return rows;
}

/** Reads a file of this installation for a greeting, which a broken file must not end. */
async function seededEmail(dataDir: string): Promise<string | null> {
  return readSeed(dataDir).then(
    (seed) => seed?.operatorEmail ?? null,
    () => null,
  );
}

async function signInRows({ services, dataDir }: Config, { seed }: Commands): Promise<Row[]> {
  if (!services.has('api')) return [];
  const email = await seededEmail(dataDir);
  return email === null
    ? [['Sign in', seed, 'in a second terminal: prints e-mail address, password and keys']]
    : [['Sign in', email, `${seed} prints the password and the keys`]];
}

/** Tells a person at a terminal how to go on. Programs read the log instead. */
export async function greet(
  out: Output,
  addresses: Addresses,
  config: Config,
  commands: Commands = isPackage ? ofPackage : ofRepository,
): Promise<void> {
  if (out.isTTY !== true) return;
  const rows: Row[] = [
    ...addressRows(addresses, config),
    ...(await signInRows(config, commands)),
    ...(config.services.has('api') ? [['Try', commands.firstUpload] as const] : []),
    ['Data', typed(config.dataDir)],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.map(
    ([name, value, note]) => `  ${name.padEnd(11)}${value}${note === undefined ? '' : `   (${note})`}`,
  );
  out.write(`\nInkgraph ${version} is up.\n\n${lines.join('\n')}\n\n`);
}

/** Tells the person who pressed Ctrl-C that it was heard: running work ends first. */
export function sayStopping(out: Output): void {
  if (out.isTTY === true) out.write('\nStopping. Press Ctrl-C again to stop at once.\n');
}
