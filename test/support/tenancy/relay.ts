import type { EventBucketRow } from '#src/stores/collections.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { documentRecord, executionRecord, realtimeEvent } from '#test/support/records.ts';
import type { Stores } from '#test/support/database.ts';

interface Held {
  readonly organizationId: string;
  readonly documentId: string;
  readonly executionId: string;
}

const executionOf = (who: Held, target: Held) =>
  executionRecord({ organizationId: who.organizationId, _id: target.executionId });

/** Writes of the relay, of the event log and of upkeep, asked for with the ids of somebody else. */
export const relayChanges = (
  stores: () => Stores,
): Readonly<Record<string, (asker: Held, target: Held) => Promise<unknown>>> => ({
  'executions.inQueue': (who, target) => {
    const execution = executionOf(who, target);
    return stores().executions.inQueue([{ execution, runs: newRuns(execution) }]);
  },
  'executions.lookAhead': async () => stores().executions.lookAhead('interactive'),
  'executions.foresee': (who, target) => {
    const execution = executionOf(who, target);
    return stores().executions.foresee([{ execution, runs: newRuns(execution) }]);
  },
  'executions.createAll': (who, target) =>
    stores().executions.createAll([{ execution: executionOf(who, target), runs: [] }]),
  'executions.createPlaced': (who, target) =>
    stores().executions.createPlaced([{ execution: executionOf(who, target), runs: [] }]),
  'executions.relayUploads': ({ organizationId }, { documentId }) =>
    stores().executions.relayUploads({ organizationId, executions: [], events: [], documentIds: [documentId] }),
  'executions.acceptUploads': ({ organizationId }, { documentId }) =>
    stores().executions.acceptUploads({
      organizationId,
      documents: [documentRecord({ _id: documentId, organizationId })],
      executions: [],
      events: [],
    }),
  'events.append': (who, { documentId }) =>
    stores().events.append([realtimeEvent(who.organizationId, { dedupeId: `document.created:${documentId}` })]),
  'retention.deleteHosted': ({ organizationId }, { documentId }) =>
    stores().retention.deleteHosted({ organizationId, documentId }, new Date()),
  // An event that the other organization has under this id.
  'events.appendBy': ({ organizationId }, { documentId }) => {
    const event = realtimeEvent(organizationId, { dedupeId: `document.created:${documentId}` });
    const write = async (rows: readonly EventBucketRow[]): Promise<boolean> => {
      const { left } = await stores().executions.relayUploads({
        organizationId,
        executions: [],
        events: rows,
        documentIds: [],
      });
      return left !== null;
    };
    return stores().events.appendBy(organizationId, [event], write);
  },
});
