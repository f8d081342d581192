import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#src/domain/ids.ts';
import { preciseNow, sampleData } from '#scripts/bench/processes/stream-events.ts';
import type { Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { go, settledHeap, watchPace, type Site, type Tab } from '#scripts/bench/dashboard/site.ts';

const pageOf = (id: string): string => `/documents/${id}`;

/** Opens a document as from a list, until the picture of its page is drawn. Milliseconds. */
async function opened(tab: Tab, id: string): Promise<number> {
  const began = preciseNow();
  await go(tab, pageOf(id));
  // Not its small picture in the list.
  const picture = tab.page.locator(`main img[src*="${id}"]:not([src*="thumbnail"])`).first();
  await picture.waitFor();
  await picture.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
  return preciseNow() - began;
}

/** Heap after opening and leaving documents, one after the other: bytes after the first five, and after all. */
export async function heapOfVisits(site: Site, ids: readonly string[]) {
  const tab = await site.open();
  await tab.page.goto(`${site.api}/documents`);
  await tab.page.getByRole('listitem').first().waitFor();
  const after = async (part: readonly string[]): Promise<number> => {
    for (const id of part) await opened(tab, id);
    await go(tab, '/documents');
    await tab.page.getByRole('listitem').first().waitFor();
    return (await settledHeap(tab)).bytes;
  };
  const early = await after(ids.slice(0, 5));
  const late = await after(ids.slice(5));
  await tab.page.close();
  return { early, late };
}

/** Opening documents by turns, after one opening of each for warmth: the server keeps pictures that it made. */
export async function timeToPage(site: Site, runs: number, ids: { readonly short: string; readonly long: string }) {
  const tab = await site.open();
  await tab.page.goto(`${site.api}/documents`);
  await tab.page.getByRole('listitem').first().waitFor();
  const times = { short: [] as number[], long: [] as number[] };
  for (let run = 0; run <= runs; run += 1)
    for (const which of ['short', 'long'] as const) {
      const ms = await opened(tab, ids[which]);
      if (run > 0) times[which].push(ms);
      // A document that is read anew, not one from the cache.
      await tab.page.reload();
    }
  await opened(tab, ids.long);
  const heap = await settledHeap(tab);
  await tab.page.close();
  return { times, heap };
}

/** Loads a list to its end, and goes through it with the wheel. Milliseconds of frames. */
export async function scrollThrough(site: Site, count: number) {
  const tab = await site.open();
  const { page } = tab;
  await page.goto(`${site.api}/documents`);
  await page.getByRole('listitem').first().waitFor();
  const place = (): Promise<number> =>
    page.evaluate(`Number([...document.querySelectorAll('main [data-at]')].at(-1)?.dataset.at ?? 0)`);
  while ((await place()) < count - 1) {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  }
  await page.evaluate('scrollTo(0, 0)');
  await page.mouse.move(700, 500);
  const pace = await watchPace(tab);
  const height: number = await page.evaluate('document.documentElement.scrollHeight');
  for (let at = 0; at < Math.min(height, 300 * 600); at += 600) await page.mouse.wheel(0, 600);
  const { frames } = await pace.told();
  const { nodes, bytes } = await settledHeap(tab);
  await page.close();
  return { frames, nodes, bytes };
}

const types = ['run.created', 'run.step.changed', 'run.completed'] as const;

/** One event of a run of one of these documents. */
function eventAt({ organizationId, projectId }: Inkgraph['seed'], ids: readonly string[], index: number) {
  const [type = 'run.created', runId] = [types[index % types.length], newId('run')];
  const documentId = ids[index % ids.length] ?? '';
  const data = { ...sampleData(), status: type === 'run.created' ? 'queued' : 'succeeded' };
  return { organizationId, projectId, documentId, runId, dedupeId: `${type}:${runId}`, type, at: new Date(), data };
}

/** So many events a second, until `stop` is aborted. Returns their number. */
async function tell({ app, seed }: Inkgraph, ids: readonly string[], rate: number, stop: AbortSignal): Promise<number> {
  const began = performance.now();
  let told = 0;
  while (!stop.aborted) {
    const due = Math.floor(((performance.now() - began) / 1_000) * rate);
    const indexes = Array.from({ length: due - told }, (_, at) => due - 1 - at);
    await app.deps.events.append(indexes.map((index) => eventAt(seed, ids, index)));
    told = due;
    await pause(20);
  }
  return told;
}

/** Key presses and clicks in the list while events arrive. Milliseconds until the next frame after each. */
export async function interactUnderEvents(site: Site, inkgraph: Inkgraph, rate: number) {
  const tab = await site.open();
  const { page } = tab;
  await page.goto(`${site.api}/documents`);
  await page.getByRole('listitem').first().waitFor();
  const ids: string[] = await page.evaluate(
    `[...document.querySelectorAll('main a[data-at]')].map((link) => link.pathname.split('/').at(-1))`,
  );
  const stop = new AbortController();
  const began = performance.now();
  const telling = tell(inkgraph, ids, rate, stop.signal);
  await page.locator('[data-at="0"]').focus();
  const pace = await watchPace(tab);
  const drawn = () => page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  let count = 0;
  for (let turn = 0; turn < 40; turn += 1)
    for (const key of ['ArrowRight', 'x', 'ArrowDown', 'ArrowUp']) {
      await page.keyboard.press(key);
      await drawn();
      count += 1;
    }
  await page.getByRole('searchbox').first().focus();
  for (const letter of 'delivery of juniper') {
    await page.keyboard.press(letter === ' ' ? 'Space' : letter);
    await drawn();
    count += 1;
  }
  stop.abort();
  const told = await telling;
  const seconds = (performance.now() - began) / 1_000;
  const { frames, waits } = await pace.told();
  await page.close();
  // Interactions below the threshold of the browser's report are not in it.
  return {
    waits: [...waits, ...Array<number>(Math.max(0, count - waits.length)).fill(16)],
    frames,
    rate: told / seconds,
  };
}
