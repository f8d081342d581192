import { readFile } from 'node:fs/promises';
import { figureOf, quantile } from '#scripts/bench/figures.ts';
import { store, upload } from '#scripts/bench/dashboard/data.ts';
import { heapOfVisits, interactUnderEvents, scrollThrough, timeToPage } from '#scripts/bench/dashboard/measures.ts';
import { openSite } from '#scripts/bench/dashboard/site.ts';
import { createUploader, waitForExecution } from '#scripts/demo/http-client.ts';
import { startInkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { scaled, type Row } from '#scripts/bench/row.ts';

const mebibyte = 1024 * 1024;
const longPages = 200;
const eventsPerSecond = 500;
const picture = new URL('../../../test/fixtures/photo-rotated.jpg', import.meta.url);

/** D1: the dashboard in a real browser over a real service, where it has much to show. */
export const dashboard: Row = {
  id: 'D1',
  async measure(context) {
    await using inkgraph = await startInkgraph(context, 'api,agents', { WEB: 'on' });
    await using site = await openSite(inkgraph);
    const base = { id: 'D1', unit: 'ms' } as const;
    if (site === null)
      return [{ ...base, what: 'the dashboard in Chromium', ours: null, note: 'this machine has no Chromium' }];
    context.progress('uploading documents');
    const ids = await upload(
      inkgraph,
      Array.from({ length: scaled(context, 200) }, () => 1),
    );
    const [long = ''] = await upload(inkgraph, [longPages]);
    const photo = await createUploader(inkgraph.addresses.api, inkgraph.seed.workflowKey).upload(
      await readFile(picture),
      'image/jpeg',
      'photo.jpg',
    );
    await waitForExecution(inkgraph.addresses.api, inkgraph.seed.serviceKey, photo);
    context.progress('opening and leaving documents');
    const heap = await heapOfVisits(site, ids);
    context.progress('opening a long document');
    const { times, heap: longHeap } = await timeToPage(site, context.runs, { short: ids[0] ?? '', long });
    const cards = scaled(context, 10_000);
    context.progress('storing cards');
    await store(inkgraph, cards, photo);
    context.progress('interactions under events');
    const busy = await interactUnderEvents(site, inkgraph, eventsPerSecond);
    context.progress('scrolling');
    const scrolled = await scrollThrough(site, cards);
    return [
      {
        ...base,
        what: `heap after opening and leaving ${ids.length} documents, over that after 5`,
        unit: 'x',
        ours: figureOf([heap.late / heap.early]),
        goal: { of: 'value', atMost: 1.2 },
        note: `MiB: ${[heap.early, heap.late].map((bytes) => (bytes / mebibyte).toFixed(1)).join(', then ')}`,
      },
      {
        ...base,
        what: `opening a document of ${longPages} pages, until its first page is drawn; the peer is one of 1 page`,
        ours: figureOf(times.long),
        peer: { name: 'one page', figure: figureOf(times.short) },
        goal: { of: 'ratio', atMost: 1.5 },
        note: `${longHeap.nodes} nodes, heap ${(longHeap.bytes / mebibyte).toFixed(1)} MiB with the long one open`,
      },
      {
        ...base,
        what: `frames while scrolling through ${cards} cards`,
        ours: figureOf([quantile(scrolled.frames, 0.98)], scrolled.frames),
        goal: { of: 'value', atMost: 100 },
        note: `98th percentile; longest ${Math.max(...scrolled.frames).toFixed(0)} of ${scrolled.frames.length} frames, ${scrolled.frames.filter((ms) => ms > 100).length} over 100; ${scrolled.nodes} nodes, heap ${(scrolled.bytes / mebibyte).toFixed(1)} MiB`,
      },
      {
        ...base,
        what: `key presses in the list while ${busy.rate.toFixed(0)} events a second arrive`,
        ours: figureOf([quantile(busy.waits, 0.98)], busy.waits),
        goal: { of: 'value', atMost: 200 },
        note: `98th percentile of ${busy.waits.length}; longest frame ${Math.max(...busy.frames).toFixed(0)}`,
      },
    ];
  },
};
