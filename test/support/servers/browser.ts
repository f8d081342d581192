import { existsSync } from 'node:fs';
import { env } from 'node:process';
import { chromium, type Browser } from 'playwright-core';

/** A real Chromium: Debian's, or the one that CHROMIUM names. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(
      `No browser at ${executablePath}: install Debian's package chromium, or set CHROMIUM to a Chromium.`,
    );
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
