import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { TestDatabase } from '#test/support/database.ts';

/** Lists what there is of a document: runs, executions, kinds of events, entries left in its outbox. */
export async function outcomeOf(
  { collections }: TestDatabase,
  events: Pick<EventLog, 'read'>,
  { _id, organizationId }: DocumentRecord,
) {
  const { runs, executions, documents } = collections;
  const feed = await events.read(organizationId, 0, 100);
  return {
    runs: await runs.countDocuments({ organizationId, documentId: _id }),
    executions: await executions.countDocuments({ organizationId }),
    events: feed.map((event) => event.type).toSorted(),
    pending: (await documents.findOne({ _id }))?.pendingEvents.length,
  };
}

/** The outcome of one upload that went its whole way into the queue. */
export const relayed = { runs: 1, executions: 1, events: ['document.created', 'run.created'], pending: 0 };
