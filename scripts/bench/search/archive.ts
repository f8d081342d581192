import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { collectionsOf } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { loadSearchRecords } from '#scripts/bench/documents/search-records.ts';
import { startInkgraph } from '#scripts/bench/processes/inkgraph.ts';
import type { BenchContext } from '#scripts/bench/row.ts';
import { sampleDocument } from '#scripts/bench/sample-document.ts';

const atOnce = 1_000;
/** Words in the recognized text of each document. */
export const archiveWords = 120;

/** A data folder with so many documents of one project and their search records with vectors; nobody runs on it yet. */
export async function makeArchive(context: BenchContext, count: number): Promise<string> {
  await using inkgraph = await startInkgraph(context, 'api');
  const { organizationId, projectId } = inkgraph.seed;
  // The service has the engine: this joins it.
  const engine = await openEmbeddedDatabase({ dataDir: inkgraph.dataDir });
  const database = connectDatabase(engine.uri);
  try {
    const collections = collectionsOf(database.db);
    for (let from = 0; from < count; from += atOnce) {
      if (from % 10_000 === 0) context.progress(`loading document ${from} of ${count}`);
      const to = Math.min(count, from + atOnce);
      const documents = Array.from({ length: to - from }, (_, at) => sampleDocument(inkgraph.seed, from + at));
      const idAt = (index: number): string => documents[index - from]?._id ?? '';
      await Promise.all([
        collections.documents.insertMany(documents, { ordered: false }),
        loadSearchRecords(
          collections,
          { from, to },
          { organizations: [organizationId], projectId, words: archiveWords, idAt },
        ),
      ]);
    }
  } finally {
    await database.close();
    await engine.close();
  }
  return inkgraph.dataDir;
}
