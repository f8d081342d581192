import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { documentRestored, documentTrashed, runCompleted } from '#src/domain/events/realtime.ts';
import { endRunsOf } from '#app/agents/end-runs-of.ts';
import type { DocumentTraces } from '#src/stores/document-traces.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { Completed, TrashStore } from '#src/stores/operators/trash.ts';

interface Parts {
  readonly trash: Pick<TrashStore, 'complete' | 'clear'>;
  readonly executions: Pick<ExecutionStore, 'cancelRun'>;
  readonly traces: Pick<DocumentTraces, 'runsOf'>;
  readonly events: Pick<EventLog, 'append'>;
}

const reason = { code: 'run.canceled', message: 'Its document was moved to the trash.' };

/** Ends the open runs over the documents, and tells the feed that they are gone. */
async function endAll({ events, ...parts }: Parts, { document, derived }: Completed, at: Date): Promise<void> {
  await events.append([document, ...derived].map((one) => documentTrashed(one, at)));
  for (const { _id: documentId, organizationId } of [document, ...derived]) {
    const now = new Date();
    const { ended } = await endRunsOf(parts, { organizationId, documentId }, now, reason);
    const ordinary = ended.filter(({ experiment }) => experiment === undefined);
    await events.append(ordinary.map((run) => runCompleted(run, 'canceled', now)));
  }
}

/**
 * Completes a move of a document into or out of the trash, with the documents derived from it: their rows, the end of their open runs, and
 * the events of the feed. Every step can be repeated. Source: docs/decisions/0164.
 */
export function createSettleTrash(parts: Parts): (document: DocumentRecord) => Promise<void> {
  const { trash, events } = parts;
  return async (moved) => {
    const completed = await trash.complete(moved);
    if (completed === null) return;
    const { document, derived } = completed;
    const entries = document.pendingEvents.filter(({ name }) => name === 'document/trash');
    const at = entries.at(-1)?.ts ?? document.trash?.at ?? document.createdAt;
    if (document.trash !== undefined) await endAll(parts, completed, at);
    else {
      // Those that went to the trash by themselves stay there.
      const back = derived.filter((one) => one.trash === undefined || one.trash.with === document._id);
      await events.append([document, ...back].map((one) => documentRestored(one, at)));
    }
    await trash.clear(document);
  };
}
