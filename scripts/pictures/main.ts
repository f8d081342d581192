import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createHash, randomBytes } from 'node:crypto';
import { compose, type App } from '#app/compose.ts';
import { seed } from '#app/compose/seed.ts';
import { loadConfig, type Config } from '#src/config/config.ts';
import { oauthPaths } from '#src/contracts/oauth.ts';
import { drawSvg } from '#graphs/draw/svg.ts';
import { triage } from '#graphs/triage.workflow.ts';
import { dashboardPictures } from '#scripts/pictures/dashboard.ts';
import { openDemoSite } from '#scripts/pictures/demo-site.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';

const folder = new URL('../../docs/pictures/', import.meta.url);
const redirect = 'http://127.0.0.1:4000/callback';

/** Registers a program as any client does, and returns the address that asks for consent. */
async function consentUrl(api: string): Promise<string> {
  const response = await fetch(api + oauthPaths.register, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Desk assistant',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  });
  const { client_id: client } = (await response.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'example',
    scope: 'documents:read documents:write runs:read',
  });
  return `${api}${oauthPaths.authorize}?${query.toString()}`;
}

/** The consent page in a real browser, after signing in, as PNG. */
async function photograph(app: App, config: Config, api: string): Promise<Buffer> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new UsageError(`No browser at ${executablePath}. Install Chromium, or set CHROMIUM to its path.`);
  const made = await seed(app, config);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const page = await browser.newPage({ viewport: { width: 720, height: 900 }, colorScheme: 'light' });
    await page.goto(await consentUrl(api));
    await page.getByLabel('E-mail address').fill(made.operatorEmail);
    await page.getByLabel('Password').fill(made.operatorPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect a program' }).waitFor();
    const taken = await page.screenshot({ fullPage: true });
    const { default: sharp } = await import('sharp');
    return await sharp(taken).png({ palette: true, colours: 32, effort: 10 }).toBuffer();
  } finally {
    await browser.close();
  }
}

/** Pictures of the dashboard over the samples of the demo. */
async function drawDashboard(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-pictures-'));
  try {
    await using site = await openDemoSite(dataDir);
    for (const [name, bytes] of Object.entries(await dashboardPictures(site)))
      await writeFile(new URL(name, folder), bytes);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const usage = helpText({
  usage: 'npm run pictures',
  does: 'Draws the pictures of the README again, with the product itself and Chromium.',
  environment: [['CHROMIUM', 'path of the browser; default: /usr/bin/chromium']],
  examples: ['npm run pictures'],
});

/** `npm run pictures`. */
export const pictures = withHelp(usage, async ({ args }) => {
  parseArgs({ args: [...args], options: {} });
  await mkdir(folder, { recursive: true });
  await writeFile(new URL('triage.svg', folder), await drawSvg(triage.graph));
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-pictures-'));
  try {
    const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
    const config = loadConfig({ ...ports, LOG_LEVEL: 'error', DATA_DIR: dataDir });
    await using app = await compose(config);
    const { api } = await app.start();
    await writeFile(new URL('consent.png', folder), await photograph(app, config, api));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  await drawDashboard();
});

if (import.meta.main) await orExplain(pictures);
