import { afterAll, beforeAll, describe, expect } from 'vitest';
import { extracting, read, run } from '#test/records/support/scanned.ts';
import { labels, setLabel, sizedDocuments } from '#test/experiments/support/sized-documents.ts';
import { endedExperiment } from '#test/experiments/support/ended-experiment.ts';
import { browserTest } from '#test/support/servers/browser.ts';
import { expectAccessible, go, startSite, visit, type OwnSite } from '#test/web/site.ts';

let started: OwnSite;
let paths: readonly string[] = [];
let fields: string;
const hook = 'https://receiver.example.com/hooks/of/inkgraph';

/** Something in every table. */
async function fill({ app, cookie }: OwnSite): Promise<void> {
  const post = async (path: string, body: object): Promise<any> => {
    const { status, body: made } = await app.call('POST', `/api/dashboard/${path}`, { cookie, body });
    expect(status, `${path} ${JSON.stringify(made)}`).toBeLessThan(300);
    return made;
  };
  const workflowId = await extracting(app, { recordType: 'receipt' });
  const scanned = await read(app, 40, 'PEPPERCORN GROCERS LTD\nDate: 17/05/2026\nTOTAL EUR 10.00');
  expect(await run(app, workflowId, scanned)).toMatchObject({ status: 'succeeded' });
  const sized = await sizedDocuments(app, 4, 0);
  await app.call('PATCH', `/api/dashboard/documents/${sized.documentIds[0]}`, {
    cookie,
    body: { title: 'Groceries of May, for the summer party of the neighbourhood' },
  });
  const variants = [
    { workflowId: sized.workflowId },
    { workflowId: sized.workflowId, operations: setLabel(labels.poor) },
  ];
  const { experiment } = await post('experiments', { datasetId: sized.datasetId, variants });
  await endedExperiment(app, cookie, experiment.experimentId);
  const { projectId } = app.seed;
  await post('invitations', { email: 'somebody.with.a.long.name@example.com', role: 'viewer' });
  await app.addPerson('admin');
  await post('webhooks', { projectId, url: hook, events: ['run.completed'] });
  await post('documents/trash', { documentIds: [sized.documentIds[3]] });
  const settings = ['keys', 'members', 'secrets', 'programs', 'usage', 'projects', 'audit', 'webhooks'];
  fields = `/documents/${scanned.documentId}?tab=fields`;
  paths = [
    '/',
    '/runs',
    '/workflows',
    '/experiments',
    '/experiments?tab=datasets',
    `/experiments/${experiment.experimentId}`,
    '/records',
    '/trash',
    fields,
    ...settings.map((section) => `/settings?section=${section}`),
  ];
}

beforeAll(async () => {
  started = await startSite('api,agents');
  await fill(started);
}, 120_000);
afterAll(() => started[Symbol.asyncDispose]());

/** Scrolls each table that is wider than the screen to its end, and tells where the cells are that name its head and its first row. */
const scrolled = `[...document.querySelectorAll('.table')].flatMap((table) => {
  const frame = table.parentElement;
  const room = frame.clientWidth;
  if (frame.scrollWidth <= room + 1) return [];
  return [table.querySelector('thead tr'), table.querySelector('tbody tr')].map((row) => {
    row.scrollIntoView({ block: 'center' });
    frame.scrollLeft = frame.scrollWidth;
    const { left } = frame.getBoundingClientRect();
    const cell = row.querySelector('.stays') ?? row.cells[0];
    const { left: begin, width, top, height } = cell.getBoundingClientRect();
    const seen = document.elementFromPoint(begin + 2, top + height / 2);
    return { text: cell.textContent, isSeen: begin >= left && cell.contains(seen), share: width / room };
  });
})`;

interface Left {
  readonly text: string;
  readonly isSeen: boolean;
  readonly share: number;
}

describe('On a phone', () => {
  browserTest(
    'a table that scrolls sideways keeps the column that says which row is which',
    async () => {
      const { site, cookie } = started;
      const tab = await site.open(cookie, { viewport: { width: 360, height: 780 } });
      const { page } = tab;
      await visit(tab, site.api);
      const names: string[] = [];
      const look = async (path: string): Promise<void> => {
        const left: readonly Left[] = await page.evaluate(scrolled);
        for (const { text, isSeen, share } of left) {
          expect({ path, text, isSeen }).toEqual({ path, text, isSeen: true });
          expect(share, `${path}: ${text}`).toBeLessThan(0.5);
          names.push(text);
        }
      };
      for (const path of paths) {
        await go(tab, path);
        await look(path);
      }
      await page.getByRole('button', { name: `Deliveries to ${hook}` }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByRole('cell', { name: 'ping' }).waitFor();
      await look('deliveries');
      // Heads alternate with the first cells of rows.
      const heads = names.filter((_, at) => at % 2 === 0);
      expect(heads).toEqual(
        expect.arrayContaining(['Document', 'Metric', 'Variant', 'Name', 'When', 'Address', 'Event']),
      );
      expect(tab.complaints()).toEqual([]);
    },
    60_000,
  );

  browserTest('the pencil of a field is large enough for a finger, and as small as before for a mouse', async () => {
    const { site, cookie } = started;
    const pencilOf = async (options: object) => {
      const tab = await site.open(cookie, { viewport: { width: 360, height: 780 }, ...options });
      await visit(tab, `${site.api}${fields}`);
      const pencil = tab.page.getByRole('button', { name: 'Correct Merchant' });
      return { tab, pencil, box: await pencil.boundingBox() };
    };
    const touch = await pencilOf({ hasTouch: true, isMobile: true });
    expect(touch.box?.width).toBeGreaterThanOrEqual(40);
    expect(touch.box?.height).toBeGreaterThanOrEqual(40);
    await expectAccessible(touch.tab, 'fields by touch', '[role=tabpanel]');
    await touch.pencil.tap();
    await touch.tab.page.getByRole('dialog', { name: 'Correct Merchant' }).waitFor();
    const mouse = await pencilOf({});
    expect(mouse.box).toMatchObject({ width: 28, height: 28 });
    expect([...touch.tab.complaints(), ...mouse.tab.complaints()]).toEqual([]);
  });
});
