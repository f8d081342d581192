import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const run = promisify(execFile);

export interface NativeResult {
  /** Text of each page, in order. */
  readonly texts: readonly string[];
  /** User and system time of the command by page, in milliseconds; the model is loaded once for all pages. */
  readonly cpuMs: number;
}

export interface NativeTesseract {
  readonly name: string;
  recognize(pages: readonly string[]): Promise<NativeResult>;
}

export const nativeMissing = 'peer missing: apt-get install tesseract-ocr';

/** The last line of the shell's `times`: user and system time of its children, as 1m2.345s. */
function childrenMs(stderr: string): number {
  const parts = [...(stderr.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new Error('the shell did not say what its children used');
  return parts.reduce((sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1_000, 0);
}

/**
 * The `tesseract` command with its defaults (automatic layout), one thread, and the very model the service uses; null when it is not
 * installed. The model is unpacked into `folder`.
 */
export async function nativeTesseract(folder: string): Promise<NativeTesseract | null> {
  const version = await run('tesseract', ['--version']).then(
    ({ stdout, stderr }) => /tesseract v?([\d.]+)/.exec(stdout + stderr)?.[1] ?? '?',
    () => null,
  );
  if (version === null) return null;
  const tessdata = join(folder, 'tessdata');
  await mkdir(tessdata, { recursive: true });
  const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');
  const packed = await readFile(join(dirname(packageFile), '4.0.0_best_int', 'eng.traineddata.gz'));
  await writeFile(join(tessdata, 'eng.traineddata'), await promisify(gunzip)(packed));
  return {
    name: `tesseract ${version}, 1 thread`,
    async recognize(pages) {
      const list = join(folder, 'pages.txt');
      await writeFile(list, `${pages.join('\n')}\n`);
      const command = ['tesseract', list, 'stdout', '--psm', '3', '-l', 'eng'];
      const { stdout, stderr } = await run('sh', ['-c', '"$@"; times >&2', 'sh', ...command], {
        env: { PATH: process.env['PATH'], OMP_THREAD_LIMIT: '1', TESSDATA_PREFIX: tessdata },
        maxBuffer: 64 * 1024 * 1024,
      });
      const texts = stdout.split('\f').slice(0, pages.length);
      if (texts.length !== pages.length) throw new Error(`tesseract answered ${texts.length} of ${pages.length} pages`);
      return { texts, cpuMs: childrenMs(stderr) / pages.length };
    },
  };
}

/** Workers that keep all cores busy. */
export const allCores = availableParallelism();
