import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { prepareFolder } from '#scripts/chaos/prepare-folder.ts';
import { startService } from '#scripts/chaos/service-process.ts';
import { DocumentWithRun } from '#src/contracts/resources/document.ts';
import { DocumentPage } from '#src/contracts/resources/results.ts';
import { untilFinished, uploadStubbornly } from '#scripts/chaos/stubborn-client.ts';

export interface LongDocumentOptions {
  readonly pages: number;
  /** The worker is killed once so many pages are stored. */
  readonly killAt: number;
  readonly progress: (text: string) => void;
}

export interface LongDocumentOutcome {
  /** Pages that were stored when the worker died. */
  readonly stored: number;
  /** Stored pages that a later worker read again. */
  readonly readAgain: number;
  /** Most pages that arrived between two looks before the kill: 1 means that each was seen to come by itself. */
  readonly largestStep: number;
  readonly seconds: number;
  /** Promises broken, one sentence each. */
  readonly violations: readonly string[];
}

/** A lease this short ends soon after its worker. */
const leaseMs = 2_000;
const lookEveryMs = 20;

/** A TIFF whose pages are single lines of a letter: each is recognized in a moment. */
async function longTiff(pages: number): Promise<Buffer> {
  const letter = await readFile(new URL('../../test/fixtures/letter.png', import.meta.url));
  const line = { left: 130, top: 140, width: 700, height: 110 };
  const shown = await sharp(letter).extract(line).grayscale().png().toBuffer();
  return sharp(
    Array.from({ length: pages }, () => shown),
    { join: { animated: true } },
  )
    .tiff({ compression: 'deflate' })
    .toBuffer();
}

/** Time at which each page was stored, by index: a page that is read again is stored again. */
async function storedPages({ ocrPages }: Collections, documentId: string): Promise<Map<number, number>> {
  const rows = await ocrPages
    .find({ documentId })
    .project<{ page: { index: number }; createdAt: Date }>({ 'page.index': 1, createdAt: 1 })
    .toArray();
  return new Map(rows.map(({ page, createdAt }) => [page.index, createdAt.getTime()]));
}

/**
 * Uploads a long document, ends its worker with kill -9 in the middle, and lets another worker end the run. The API and the database are
 * in a process of their own. Recognition is real. Source: docs/decisions/0126.
 */
export async function killInLongDocument({
  pages,
  killAt,
  progress,
}: LongDocumentOptions): Promise<LongDocumentOutcome> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-long-'));
  const started = performance.now();
  try {
    const seed = await prepareFolder(dataDir);
    await using api = await startService({ dataDir, env: { SERVICES: 'api' } });
    const engine = await openEmbeddedDatabase({ dataDir });
    const database = connectDatabase(engine.uri);
    try {
      const stored = collectionsOf(database.db);
      const worker = () => startService({ dataDir, env: { SERVICES: 'agents', RUN_LEASE_MS: String(leaseMs) } });
      const way = { whereabouts: async () => api.addresses.api };
      const file = { bytes: await longTiff(pages), contentType: 'image/tiff' };
      let largestStep = 0;
      const documentId = await uploadStubbornly(way, seed.workflowKey, file);
      {
        await using first = await worker();
        for (let count = 0; count < killAt;) {
          await pause(lookEveryMs);
          const seen = await stored.ocrPages.countDocuments({ documentId });
          largestStep = Math.max(largestStep, seen - count);
          count = seen;
        }
        await first.kill();
      }
      const shown = await shownNow(api.addresses.api, seed.serviceKey, documentId);
      const before = await storedPages(stored, documentId);
      progress(`killed with ${before.size} of ${pages} pages stored`);
      await using _second = await worker();
      const execution = await untilFinished(way, seed.serviceKey, documentId);
      const after = await storedPages(stored, documentId);
      const result = await stored.ocrResults.findOne({ documentId });
      const readAgain = [...before].filter(([index, at]) => after.get(index) !== at).length;
      const seconds = (performance.now() - started) / 1_000;
      const texts = result?.text.split('\f').map((text) => text.trim()) ?? [];
      const { status } = execution;
      const shownLater = await shownNow(api.addresses.api, seed.serviceKey, documentId);
      const violations = [
        ...violationsOf({ pages, before, after, readAgain, texts, status }),
        ...unreadable({ pages, before, shown, shownLater }),
      ];
      return { stored: before.size, readAgain, largestStep, seconds, violations };
    } finally {
      await database.close();
      await engine.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A document as readers see it, which may not be read to its end. */
interface Shown {
  readonly reading: { readonly pagesRead: number; readonly pages: number } | undefined;
  /** Text of the first page; null: it cannot be read. */
  readonly firstPage: string | null;
}

async function shownNow(address: string, key: string, documentId: string): Promise<Shown> {
  const ask = (path: string): Promise<Response> =>
    fetch(new URL(`/api/service/documents/${documentId}${path}`, address), { headers: { 'x-api-key': key } });
  const [document, page] = await Promise.all([ask(''), ask('/pages/0')]);
  const { reading } = ShownDocument.parse(await document.json());
  return { reading, firstPage: page.ok ? (ShownPage.parse(await page.json()).page?.text ?? null) : null };
}

const ShownDocument = DocumentWithRun.pick({ reading: true });
const ShownPage = DocumentPage.pick({ page: true });

function unreadable({
  pages,
  before,
  shown,
  shownLater,
}: Pick<Found, 'pages' | 'before'> & { readonly shown: Shown; readonly shownLater: Shown }): string[] {
  const found: string[] = [];
  const { reading, firstPage } = shown;
  if (reading?.pagesRead !== before.size || reading.pages !== pages)
    found.push(`after the kill ${before.size} pages are stored, and the document shows ${JSON.stringify(reading)}`);
  if (firstPage === null) found.push('after the kill the first page could not be read');
  if (shownLater.reading !== undefined) found.push('the finished document shows that it is being read');
  return found;
}

interface Found {
  readonly pages: number;
  readonly before: ReadonlyMap<number, number>;
  readonly after: ReadonlyMap<number, number>;
  readonly readAgain: number;
  readonly texts: readonly string[];
  readonly status: string;
}

function violationsOf({ pages, before, after, readAgain, texts, status }: Found): string[] {
  const found: string[] = [];
  if (status !== 'succeeded') found.push(`the execution ended as ${status}`);
  // The pages before the kill are the first ones, without a gap: at most the next one was begun, since a run reads one at a time.
  if ([...before.keys()].some((index) => index >= before.size)) found.push('pages were stored out of their order');
  if (readAgain > 0) found.push(`${readAgain} stored pages were read again`);
  if (after.size !== pages) found.push(`${after.size} of ${pages} pages are stored`);
  if (texts.length !== pages) found.push(`the text has ${texts.length} of ${pages} pages`);
  if (texts.some((text) => text !== texts[0] || text === '')) found.push('pages of one picture have different texts');
  return found;
}
