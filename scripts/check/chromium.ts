import { existsSync } from 'node:fs';
import { env } from 'node:process';

/** Note of a test that was skipped because this machine has no browser. */
export const noChromium = 'no Chromium';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser for tests and pictures: `CHROMIUM`, or a usual place; null where there is none. */
export function findChromium(): string | null {
  const named = env['CHROMIUM'] ?? '';
  return (named === '' ? places : [named]).find((path) => existsSync(path)) ?? null;
}

/** The way to get a browser, for the person at this machine. */
export const chromiumAdvice = 'Run `apt-get install chromium`, or set CHROMIUM to the path of one.';

/** False where a missing browser fails its tests: with `CI` set, nothing may be left out. */
export function mayMissChromium(): boolean {
  return (env['CI'] ?? '') === '';
}
