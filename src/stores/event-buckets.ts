import type { Collection } from 'mongodb';
import type { EventBucketRow } from '#src/stores/collections.ts';
import type { LoggedEvent, RealtimeEvent } from '#src/domain/events/events.ts';

/** Most events of a bucket. */
export const bucketSize = 100;

/** The events as a row, numbered from `first`. The row holds once what all of them have. */
function bucketOf(organizationId: string, first: number, events: readonly RealtimeEvent[]): EventBucketRow {
  return {
    _id: `${organizationId}/${first}`,
    organizationId,
    first,
    last: first + events.length - 1,
    at: new Date(Math.max(...events.map(({ at }) => at.getTime()))),
    ids: events.map(({ dedupeId }) => dedupeId),
    executionIds: [...new Set(events.flatMap(({ executionId }) => executionId ?? []))],
    events: events.map((event) => {
      const { dedupeId: _id, organizationId: _organizationId, ...rest } = event;
      return rest;
    }),
  };
}

/** The events as rows, numbered on from `after`. */
export function bucketsOf(organizationId: string, after: number, events: readonly RealtimeEvent[]): EventBucketRow[] {
  return Array.from({ length: Math.ceil(events.length / bucketSize) }, (_, at) =>
    bucketOf(organizationId, after + at * bucketSize + 1, events.slice(at * bucketSize, (at + 1) * bucketSize)),
  );
}

/** The events of a row, with their numbers. */
export const eventsOf = ({ organizationId, first, ids, events }: EventBucketRow): LoggedEvent[] =>
  events.map((event, at) => ({ ...event, dedupeId: ids[at] ?? '', organizationId, seq: first + at }));

/** The events of one organization without those that its log has. */
export async function lackingIn(
  buckets: Collection<EventBucketRow>,
  organizationId: string,
  batch: readonly RealtimeEvent[],
): Promise<readonly RealtimeEvent[]> {
  const ids = batch.map(({ dedupeId }) => dedupeId);
  const found = await buckets.find({ organizationId, ids: { $in: ids } }, { projection: { ids: 1 } }).toArray();
  const known = new Set(found.flatMap((bucket) => bucket.ids));
  return batch.filter(({ dedupeId }) => !known.has(dedupeId));
}

/** The events that are younger than what the log has deleted. */
export async function withoutForgotten(
  buckets: Collection<EventBucketRow>,
  organizationId: string,
  events: readonly RealtimeEvent[],
): Promise<readonly RealtimeEvent[]> {
  const oldest = await buckets.findOne({ organizationId }, { sort: { last: 1 }, projection: { first: 1, at: 1 } });
  return oldest === null || oldest.first === 1 ? events : events.filter(({ at }) => at > oldest.at);
}

/** Words of documents, models and people in events. */
const quotes = ['title', 'description', 'prompt', 'data', 'waitingFor'];

/** Removes the words of a document from the events of these executions. */
export async function redactEvents(
  buckets: Collection<EventBucketRow>,
  { organizationId, documentId }: { readonly organizationId: string; readonly documentId: string },
  executionIds: readonly string[],
): Promise<void> {
  await buckets.updateMany(
    { organizationId, executionIds: { $in: [...executionIds] } },
    { $unset: Object.fromEntries(quotes.map((name) => [`events.$[event].data.${name}`, true])) },
    { arrayFilters: [{ 'event.documentId': documentId }] },
  );
}
