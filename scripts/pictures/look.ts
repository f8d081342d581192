import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { print } from '#scripts/demo/show.ts';
import { openDemoSite } from '#scripts/pictures/demo-site.ts';

const usage = helpText({
  usage: 'npm run pictures:look -- [options] <path>...',
  does: 'Photographs pages of the dashboard over the demo data, and prints what the browser complained about. DOCUMENT in a path stands for the first document.',
  options: [
    ['--into <folder>', 'default: data/pictures'],
    ['--data <folder>', 'keeps the demo data for the next call; default: data/pictures-demo'],
    ['--width <n,n>', 'default: 1280,360'],
    ['--theme <a,b>', 'default: light,dark'],
  ],
  examples: [
    'npm run pictures:look -- / /documents/DOCUMENT',
    'npm run pictures:look -- --theme dark --width 360 /records',
  ],
});

/** `npm run pictures:look`: pages as people see them, to look at. */
export const look = withHelp(usage, async ({ args }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      into: { type: 'string', default: 'data/pictures' },
      data: { type: 'string', default: 'data/pictures-demo' },
      width: { type: 'string', default: '1280,360' },
      theme: { type: 'string', default: 'light,dark' },
    },
  });
  if (positionals.length === 0) throw new UsageError(usage);
  await mkdir(values.into, { recursive: true });
  await using site = await openDemoSite(resolve(values.data));
  for (const theme of values.theme.split(',') as ('light' | 'dark')[]) {
    for (const width of values.width.split(',').map(Number)) {
      const page = await site.newPage({ theme, width, height: width < 600 ? 780 : 860 });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) print(`  console: ${message.text()}`);
      });
      page.on('pageerror', (error) => print(`  error: ${error.message}`));
      for (const path of positionals) {
        const address = path.replace('DOCUMENT', site.documentIds[0] ?? '');
        await page.goto(site.api + address);
        await page.getByRole('heading', { level: 1 }).waitFor();
        // The feed keeps the network busy: a page is there when nothing loads any more.
        await page.locator('.animate-pulse, [aria-busy=true]').first().waitFor({ state: 'hidden', timeout: 5_000 });
        await page.waitForTimeout(400);
        const name = `${(path === '/' ? 'overview' : path).replaceAll(/[^\w]+/g, '-').replaceAll(/^-|-$/g, '')}-${theme}-${width}.png`;
        await page.screenshot({ path: join(values.into, name) });
        print(join(values.into, name));
      }
      await page.close();
    }
  }
});

if (import.meta.main) await orExplain(look);
