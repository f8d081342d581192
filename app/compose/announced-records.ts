import { recordChanged } from '#src/domain/events/realtime.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';

/** Records whose changes the realtime feed tells, whoever makes them. A change counts, also when the feed cannot be told. */
export function announcedRecords(
  records: RecordStore,
  events: Pick<EventLog, 'append'>,
  logger: Pick<Logger, 'warn'>,
): RecordStore {
  return {
    ...records,
    async save(row) {
      const saved = await records.save(row);
      if (!saved) return false;
      await events.append([recordChanged(row)]).catch((error: unknown) => {
        logger.warn({ err: error, recordId: row._id }, 'a change of a record could not be told');
      });
      return true;
    },
  };
}
