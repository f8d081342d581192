import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolderProblem } from '#app/compose/data-folder.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { languageDataVersion, modelFile, modelVariant } from '#src/adapters/ocr/tesseract-languages.ts';

/** Time after which npm is ended, in milliseconds. */
const npmTimeoutMs = 300_000;
const run = promisify(execFile);

export interface Installation {
  readonly dataDir: string;
  /** Folder that gets `<code>.traineddata.gz`. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Installs the data of all `codes`, or of none. Throws UsageError with advice when npm cannot. Source: docs/decisions/0145. */
export async function installLanguages(
  codes: readonly string[],
  { dataDir, folder, env }: Installation,
): Promise<void> {
  const staging = await createStaging(dataDir, folder);
  try {
    await fetchPackages(codes, staging, env);
    const models = codes.map((code) => {
      const from = join(staging, 'node_modules', '@tesseract.js-data', code, modelVariant, modelFile(code));
      if (!existsSync(from))
        throw new UsageError(`The package of "${code}" has no ${modelVariant} data. Use another code.`);
      return { from, to: join(folder, modelFile(code)) };
    });
    for (const { from, to } of models) await rename(from, to);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Creates a folder on the disk of the models, so that they are renamed and never seen half written. */
async function createStaging(dataDir: string, folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(folder, '.adding-'));
  } catch (error) {
    throw dataFolderProblem(error, dataDir);
  }
}

async function fetchPackages(codes: readonly string[], staging: string, env: Installation['env']): Promise<void> {
  const version = languageDataVersion();
  const packages = codes.map((code) => `@tesseract.js-data/${code}@${version}`);
  const quiet = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
  // `npm run -s` hands its silence on, and explain() needs the error.
  const args = ['install', '--prefix', staging, '--loglevel=error', ...quiet, ...packages];
  // npm names its own file to the scripts that it runs: no search in PATH, and no shell on Windows.
  const { npm_execpath: npm } = env;
  const [program, first] = npm === undefined || npm === '' ? ['npm', []] : [process.execPath, [npm]];
  try {
    await run(program, [...first, ...args], { env: { ...env }, timeout: npmTimeoutMs });
  } catch (error) {
    throw new UsageError(explain(codes, error), { cause: error });
  }
}

function explain(codes: readonly string[], error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return 'npm was not found. Install it, or start this command with npm run languages.';
  if (/\bE(?:404|TARGET)\b/.test(stderr)) {
    const missing = codes.filter(
      (code) => stderr.includes(`@tesseract.js-data/${code}`) || stderr.includes(`%2f${code}`),
    );
    const named = (missing.length === 0 ? codes : missing).join(', ');
    return `npm has no OCR data for ${named}. Nothing was installed. Use Tesseract's codes, such as deu, fra or chi_sim.`;
  }
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error'));
  const reason = lines
    .slice(0, 3)
    .map((line) => line.slice('npm error '.length).trim())
    .join('; ')
    .slice(0, 300);
  return `npm could not install ${codes.join(', ')}${reason === '' ? '' : ` (${reason})`}. Nothing was installed. Check the network and npm's registry and proxy settings, then run it again.`;
}
