import type { ResultOrigin } from '#src/domain/documents/results.ts';
import type { Stores } from '#test/support/database.ts';
import { pageOf } from '#test/support/records.ts';

interface Who {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
}
type Try = (asker: Who, target: Who & { readonly runId: string }) => Promise<unknown>;

const originOf = ({ organizationId, projectIds: [projectId], documentId }: Who): ResultOrigin => {
  // Operators stay operators.
  const runId = typeof documentId === 'string' ? `run_read_${documentId}` : documentId;
  return { organizationId, projectId, documentId, runId, nodeId: 'read' };
};

const spentOf = ({ documentId }: Who) => [`content of ${documentId}`, 'pdf/1 draw 0'] as const;

/** Stores a page of a document that a run has not read to its end, and one that used up its limits. */
export async function seedReading({ results, spentWork }: Stores, who: Who): Promise<void> {
  const reading = { language: 'eng', pagesRead: 1, pages: 2 };
  await results.saveOcrPage(originOf(who), { modelLabel: 'm', page: pageOf('x'), reading, readAs: 'way' });
  await spentWork.add(who.organizationId, ...spentOf(who));
}

const readingOf = (stores: Stores, who: Who, target: Who) => ({
  organizationId: who.organizationId,
  documentId: target.documentId,
  ocrResultId: stores.results.idsOf(originOf(target)).ocr,
  modelLabel: 'm',
});

export const readingReads = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'results.readingPages': (who, target) => stores().results.readingPages(readingOf(stores(), who, target)),
  'results.readingPagesFrom': (who, target) =>
    stores().results.readingPagesFrom(readingOf(stores(), who, target), 0, 9),
  'results.readingPage': (who, target) => stores().results.readingPage(readingOf(stores(), who, target), 0),
  'results.pagesReadAs': async (who, target) => [
    ...(await stores().results.pagesReadAs({ ...originOf(target), organizationId: who.organizationId }, 'way')).keys(),
  ],
  'results.pageReadAs': (who, target) =>
    stores().results.pageReadAs(
      { ...originOf(target), organizationId: who.organizationId },
      `${readingOf(stores(), who, target).ocrResultId}/0`,
    ),
  'spentWork.times': (who, target) => stores().spentWork.times(who.organizationId, ...spentOf(target)),
  'executions.unended': (who, { runId }) => stores().executions.unended(who.organizationId, [runId]),
});

export const readingChanges = (
  stores: () => Stores,
): Readonly<Record<string, (asker: Who, target: Who) => Promise<unknown>>> => ({
  'results.endReading': (who, target) =>
    stores().results.endReading({ ...originOf(target), organizationId: who.organizationId }),
  'spentWork.add': (who, target) => stores().spentWork.add(who.organizationId, ...spentOf(target)),
});
