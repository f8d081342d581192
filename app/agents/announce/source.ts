import type { RealtimeEvent } from '#src/domain/events/events.ts';
import type { TimeWindow } from '#src/stores/reads-in-time.ts';

/** Appends those of the events that the log lacks. */
export type Tell = (events: readonly RealtimeEvent[]) => Promise<void>;

/** Stored changes of one kind, in the order of their time, and the way to announce them. */
export interface Source<Row extends { readonly _id: string }> {
  read(window: TimeWindow, limit: number): Promise<readonly Row[]>;
  at(row: Row): Date;
  /** Tells what nobody told of these rows. */
  tell(rows: readonly Row[]): Promise<void>;
}

const pageSize = 200;

/** Tells what nobody told of the changes in a time. */
export type Look = (window: TimeWindow) => Promise<void>;

/** Goes through the changes of a source page by page. */
export const lookAt =
  <Row extends { readonly _id: string }>(source: Source<Row>): Look =>
  async ({ from, until }) => {
    for (let window: TimeWindow = { from, after: '', until }; ;) {
      const rows = await source.read(window, pageSize);
      if (rows.length > 0) await source.tell(rows);
      const last = rows.at(-1);
      if (rows.length < pageSize || last === undefined) return;
      window = { from: source.at(last), after: last._id, until };
    }
  };
