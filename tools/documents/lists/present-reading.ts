import type { z } from 'zod';
import type { DocumentReading } from '#src/contracts/results/reading.ts';
import { terminalStatuses } from '#src/domain/runs/run.ts';
import type { DocumentRecord, DocumentReading as Reading } from '#src/domain/documents/document.ts';
import type { ToolContext } from '#tools/define.ts';

type Shown = z.input<typeof DocumentReading>;
type Context = Pick<ToolContext<'executions'>, 'deps' | 'principal'>;

/** The reading that a document has, unless its result is stored or its run is known to have ended. */
function possible({ reading, ocr, latestRun }: DocumentRecord): Reading | undefined {
  if (reading === undefined || reading.ocrResultId === ocr?.ocrResultId) return undefined;
  return latestRun?.runId === reading.runId && terminalStatuses.has(latestRun.status) ? undefined : reading;
}

export const presentReading = ({ runId, ocrResultId, pagesRead, pages, at }: Reading): Shown => ({
  runId,
  ocrResultId,
  pagesRead,
  pages,
  readAt: at.toISOString(),
});

/** Readings that are going on, by document. Only the run knows whether it goes on: one query, if a document has a reading. */
export async function goingReadings(
  { deps, principal }: Context,
  records: readonly DocumentRecord[],
): Promise<ReadonlyMap<string, Reading>> {
  const all = records.flatMap((record) => {
    const reading = possible(record);
    return reading === undefined ? [] : [[record._id, reading] as const];
  });
  if (all.length === 0) return new Map();
  const runIds = [...new Set(all.map(([, { runId }]) => runId))];
  const going = new Set(await deps.executions.unended(principal.organizationId, runIds));
  return new Map(all.filter(([, { runId }]) => going.has(runId)));
}

/** The member `reading` of documents. Source: `resource.document.reading`. */
export async function readingsOf(
  ctx: Context,
  records: readonly DocumentRecord[],
): Promise<(record: DocumentRecord) => { readonly reading?: Shown }> {
  const going = await goingReadings(ctx, records);
  return ({ _id }) => {
    const reading = going.get(_id);
    return reading === undefined ? {} : { reading: presentReading(reading) };
  };
}
