import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { print } from '#scripts/demo/show.ts';
import { openDemoSite } from '#scripts/pictures/demo-site.ts';

const usage = `npm run pictures:look -- [--into FOLDER] [--data FOLDER] [--width 1280,360] [--theme light,dark] PATH...
Photographs pages of the dashboard over the demo data, and prints what the browser complained about. DOCUMENT in a path
stands for the first document. --data keeps the demo data for the next call.`;

/** `npm run pictures:look`: pages as people see them, to look at. */
await orExplain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      into: { type: 'string', default: 'data/pictures' },
      data: { type: 'string', default: 'data/pictures-demo' },
      width: { type: 'string', default: '1280,360' },
      theme: { type: 'string', default: 'light,dark' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(usage);
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
