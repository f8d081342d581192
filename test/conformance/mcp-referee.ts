import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

type Status = 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
interface Check {
  readonly id: string;
  readonly status: Status;
  readonly errorMessage?: string;
}

export interface Verdict {
  readonly exitCode: number;
  /** Number of checks of each scenario that passed. */
  readonly passed: Readonly<Record<string, number>>;
  /** Whatever is neither passed nor mere information: `scenario / check: status, why`. */
  readonly others: readonly string[];
}

const require = createRequire(import.meta.url);
const script = join(dirname(require.resolve('@modelcontextprotocol/conformance/package.json')), 'dist/index.js');
/** Prefix of the names of its results. */
const prefixes = { server: 'server-', authorization: 'authorization-server-' } as const;
const time = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

interface RefereeOptions {
  /** Hears what the suite says while it runs. */
  readonly listen?: (output: string) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

function run(
  words: readonly string[],
  { listen, signal }: RefereeOptions,
): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [script, ...words],
      { timeout: 60_000, signal },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ exitCode, output: stdout + stderr });
      },
    );
    let heard = '';
    child.stdout?.on('data', (part: string) => {
      heard += part;
      listen?.(heard);
    });
  });
}

/** Runs the official conformance suite in a process of its own; the words are those of its command line. */
export async function referee(
  [mode, ...words]: readonly [keyof typeof prefixes, ...string[]],
  options: RefereeOptions = {},
): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-referee-'));
  try {
    const { exitCode, output } = await run([mode, ...words, '--output-dir', folder], options);
    const passed: Record<string, number> = {};
    const others: string[] = [];
    for (const name of await readdir(folder)) {
      const scenario = name.replace(prefixes[mode], '').replace(time, '');
      const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as readonly Check[];
      passed[scenario] = checks.filter(({ status }) => status === 'SUCCESS').length;
      for (const { id, status, errorMessage = '' } of checks)
        if (status !== 'SUCCESS' && status !== 'INFO') others.push(`${scenario} / ${id}: ${status}, ${errorMessage}`);
    }
    if (exitCode !== 0 && others.length === 0) others.push(output.slice(-2_000));
    return { exitCode, passed, others };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
