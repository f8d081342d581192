import { z } from 'zod';
import { Timestamp } from '#src/contracts/fields.ts';

const pagesRead = z.int().min(0).describe('Pages that have been read so far');
const ocrResultId = z.string().describe('Id that the OCR result gets when the last page is read');
const pages = z.int().min(1).describe('Pages of the document');

/** Pages of a document that a run has read so far. Source: `resource.document.reading`, docs/decisions/0231. */
export const DocumentReading = z
  .object({
    runId: z.string().describe('Run that reads the document'),
    ocrResultId,
    pagesRead,
    pages,
    readAt: Timestamp.describe('Time of the last page'),
  })
  .meta({ id: 'DocumentReading', description: 'Pages that a run has read so far; absent: no run reads the document' });
export type DocumentReading = z.output<typeof DocumentReading>;

/** Progress of a node of a run that reads pages; absent: none reads. */
export const RunReading = z
  .object({ nodeId: z.string().describe('Node that reads'), ocrResultId, pagesRead, pages })
  .meta({ id: 'RunReading' });

/** Present: the answer is no finished result, but the pages that a run has read so far. */
export const UnfinishedReading = DocumentReading.optional().describe(
  'Only of text that a run has not finished: the pages that it has read so far; absent: the text is finished',
);
