import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { collectionsOf } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { createUploader, waitForExecution } from '#scripts/demo/http-client.ts';
import type { Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';
import { textPdf } from '#scripts/bench/dashboard/text-pdf.ts';

const atOnce = 8;

/** Uploads PDFs with so many pages each, and waits until the workflow has read them. Returns their ids. */
export async function upload({ addresses, seed }: Inkgraph, pages: readonly number[]): Promise<string[]> {
  const uploader = createUploader(addresses.api, seed.workflowKey);
  const ids: string[] = [];
  for (let from = 0; from < pages.length; from += atOnce) {
    const part = pages.slice(from, from + atOnce);
    const made = await Promise.all(
      part.map((count, at) => {
        const title = `Delivery ${from + at}`;
        return uploader.upload(textPdf(title, count), 'application/pdf', `${title}.pdf`);
      }),
    );
    for (const id of made) await waitForExecution(addresses.api, seed.serviceKey, id);
    ids.push(...made);
  }
  return ids;
}

/** Stores so many documents without uploading them. They have the picture of one that was uploaded. */
export async function store(inkgraph: Inkgraph, count: number, like: string): Promise<void> {
  // The service has the engine: this joins it.
  const engine = await openEmbeddedDatabase({ dataDir: inkgraph.dataDir });
  const database = connectDatabase(engine.uri);
  try {
    const { documents } = collectionsOf(database.db);
    const model = await documents.findOne({ _id: like });
    if (model === null) throw new Error(`there is no document ${like}`);
    const { pinnedKey, etag, contentType, width, height } = model;
    for (let from = 0; from < count; from += 1_000)
      await documents.insertMany(
        Array.from({ length: Math.min(1_000, count - from) }, (_unused, at) => ({
          ...sampleDocument(inkgraph.seed, from + at),
          pinnedKey,
          etag,
          contentType,
          width,
          height,
        })),
        { ordered: false },
      );
  } finally {
    await database.close();
    await engine.close();
  }
}
