import { collectionsIn } from '#test/support/stored.ts';
import type { TestApp } from '#test/support/test-app.ts';

/** Deletes the document, and settles when nothing of it is left. */
export async function deletedAt(
  app: TestApp,
  { cookie, documentId }: { readonly cookie: string; readonly documentId: string },
): Promise<void> {
  const { status } = await app.call('DELETE', `/api/dashboard/documents/${documentId}`, { cookie });
  if (status >= 300) throw new Error(`the document was not deleted: ${status}`);
  await app.app.idle();
}

/** Rows of the collections of experiments. */
export async function storedIn(app: TestApp) {
  const stored = await collectionsIn(app.dataDir);
  const [datasetVersions, cells, runs, executions] = await Promise.all([
    stored.datasetVersions.find({}).toArray(),
    stored.experimentCells.find({}).toArray(),
    stored.runs.find({ experiment: { $exists: true } }).toArray(),
    stored.executions.find({ experiment: { $exists: true } }).toArray(),
  ]);
  await stored.close();
  return { datasetVersions, cells, runs, executions };
}
