import type { ResultOrigin } from '#src/domain/documents/results.ts';
import { pageOf } from '#test/support/records.ts';
import type { Stores } from '#test/support/database.ts';

/** Every query about pages that have rows of their own. */
export async function askPages(
  { executions, results, groundingTexts, spentWork }: Stores,
  of: ResultOrigin,
): Promise<void> {
  const { organizationId, documentId } = of;
  const origin = { ...of, nodeId: 'pages' };
  await results.saveOcrPage(origin, { modelLabel: 'm', page: pageOf('x') });
  await results.readPages(origin, 'm');
  const read = { modelLabel: 'm', page: pageOf('x') };
  for (const pagesRead of [1, 2])
    await results.saveOcrPage(origin, { ...read, reading: { language: 'eng', pagesRead, pages: 2 } });
  const reading = { organizationId, documentId, ocrResultId: results.idsOf(origin).ocr, modelLabel: 'm' };
  await results.readingPages(reading);
  await results.pagesReadAs(origin, 'way');
  await results.pageReadAs(origin, `${reading.ocrResultId}/0`);
  await results.readingPagesFrom(reading, 0, 9);
  await results.readingPage(reading, 0);
  await results.endReading(origin);
  await executions.unended(organizationId, [origin.runId]);
  const result = { engine: 'e', language: 'eng', pages: [] };
  const saved = await results.saveOcr(origin, {
    modelLabel: 'm',
    text: 'x',
    avgConfidence: 1,
    result,
    pagesApart: true,
  });
  await results.ocrById(organizationId, saved.ocrResultId);
  await results.ocrPage(organizationId, saved.ocrResultId, 0);
  await results.ocrPagesFrom(organizationId, saved.ocrResultId, 0, 9);
  await results.listOcr(organizationId, documentId, 10);
  await groundingTexts.read(organizationId, [{ documentId, ocrResultId: saved.ocrResultId, descriptionId: null }]);
  await spentWork.times(organizationId, 'content', 'pdf/1 draw 0');
  await spentWork.add(organizationId, 'content', 'pdf/1 draw 0');
  spentWork.changed(organizationId);
}
