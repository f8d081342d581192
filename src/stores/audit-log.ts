import type { Collections, AuditRow } from '#src/stores/collections.ts';
import { AppError } from '#src/domain/app-error.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import type { ListPosition } from '#src/domain/cursor.ts';

export interface AuditEntry {
  readonly organizationId: string;
  /** Id of the key or user, or `cli`. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
  /** IP address of the caller. null when there is none. */
  readonly ip?: string | null;
}

/** An entry as stored. */
export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** `unfinished`: the deed began, and nothing tells how it ended. */
  readonly outcome: 'done' | 'unfinished';
  /** More than 1 for what is counted by the minute. */
  readonly count: number;
}

/** A deed that was announced to the log. */
export interface Deed {
  /** Tells what was done. The first call completes the announcement, later ones add records. */
  record(entry: AuditEntry): Promise<void>;
  /** Everything that was announced was done. */
  done(): Promise<void>;
}

export interface AuditFilter {
  /** One action, or an area such as `key`. */
  readonly action?: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** Counted things of one minute. Those beyond are counted together. */
const mostCounted = 10_000;

const rowOf = (entry: AuditEntry, at: Date): AuditRow => ({ ...entry, _id: newId('event', at), at });

const recordOf = ({ _id: id, outcome, count, ...row }: AuditRow): AuditRecord => ({
  ...row,
  id,
  outcome: outcome === 'started' ? 'unfinished' : 'done',
  count: count ?? 1,
});

/** An error of the caller: nothing was done. Others leave open how far the deed came. */
const isCallersError = (error: unknown): boolean => error instanceof AppError && error.row.status < 500;

interface Counted {
  readonly row: AuditRow;
  count: number;
  written: number;
}

/** Counts in the minute that is on. `store` adds to the counts of rows. */
function createCounts(store: (due: readonly { readonly row: AuditRow; readonly more: number }[]) => void) {
  let minute = 0;
  const counts = new Map<string, Counted>();
  const due = (of: readonly Counted[]): void => {
    const found = of.filter(({ count, written }) => count > written);
    if (found.length > 0) store(found.map(({ row, count, written }) => ({ row, more: count - written })));
    for (const one of found) one.written = one.count;
  };
  return {
    /** Adds one. Stores counts after 1, 2, 4, 8, ... occurrences, and what is left of a minute with the first one after it. */
    add(entry: AuditEntry, at: Date): void {
      const now = Math.floor(at.getTime() / 60_000);
      if (now !== minute) {
        due([...counts.values()]);
        counts.clear();
        minute = now;
      }
      const name = (actor: string): string => JSON.stringify([entry.organizationId, entry.action, actor]);
      const own = name(entry.actor);
      const isOwn = counts.has(own) || counts.size < mostCounted;
      const counted = isOwn ? own : name('others');
      const state = counts.get(counted) ?? {
        row: {
          ...entry,
          ...(!isOwn && { actor: 'others', ip: null }),
          _id: derivedId('event', counted, String(now)),
          at,
        },
        count: 0,
        written: 0,
      };
      counts.set(counted, state);
      state.count += 1;
      if ((state.count & (state.count - 1)) === 0) due([state]);
    },
  };
}

function createDeeds({ audit }: Pick<Collections, 'audit'>) {
  return {
    /**
     * Performs a deed between its announcement, which is stored first, and its record: a process that dies in between leaves the
     * announcement, as `unfinished`. A deed that records nothing, or fails with an error of the caller, leaves nothing.
     */
    async during<T>(announced: AuditEntry | readonly AuditEntry[], work: (deed: Deed) => Promise<T>): Promise<T> {
      const at = new Date();
      const rows = [announced].flat().map((entry) => ({ ...rowOf(entry, at), outcome: 'started' as const }));
      if (rows.length > 0) await audit.insertMany(rows);
      const [first] = rows;
      let open = true;
      const forget = (): Promise<unknown> =>
        Promise.all(
          rows.map(({ _id, organizationId }) => audit.deleteOne({ _id, organizationId, outcome: 'started' })),
        );
      const deed: Deed = {
        async record({ organizationId, ...told }) {
          const announcement = open ? first : undefined;
          open = false;
          if (announcement?.organizationId !== organizationId) {
            await audit.insertOne(rowOf({ organizationId, ...told }, new Date()));
            return;
          }
          const _id = announcement._id;
          await audit.updateOne({ _id, organizationId }, { $set: { ip: null, ...told }, $unset: { outcome: '' } });
        },
        async done() {
          open = false;
          await Promise.all(
            rows.map(({ _id, organizationId }) =>
              audit.updateOne({ _id, organizationId }, { $unset: { outcome: '' } }),
            ),
          );
        },
      };
      let result: T;
      try {
        result = await work(deed);
      } catch (error) {
        if (open && isCallersError(error)) await forget();
        throw error;
      }
      if (open) await forget();
      return result;
    },
  };
}

/** `lost` hears of counts that could not be stored. */
export function createAuditLog(
  { audit }: Pick<Collections, 'audit'>,
  lost: (error: unknown) => void = () => undefined,
) {
  const counts = createCounts((due) => {
    const updates = due.map(({ row: { _id, organizationId, ...row }, more }) => ({
      updateOne: {
        filter: { _id, organizationId },
        update: { $inc: { count: more }, $setOnInsert: row },
        upsert: true,
      },
    }));
    audit.bulkWrite(updates, { ordered: false }).catch(lost);
  });
  return {
    ...createDeeds({ audit }),
    /** Stores events that have no deed of ours to wait for, or that are stored before it. */
    async note(entries: readonly AuditEntry[]): Promise<void> {
      const at = new Date();
      if (entries.length > 0) await audit.insertMany(entries.map((entry) => rowOf(entry, at)));
    },
    /** Stores an event once, however often it is noted. `once` are the names that it is known by. */
    async noteOnce(entry: AuditEntry, once: readonly string[]): Promise<void> {
      const _id = derivedId('event', entry.organizationId, entry.action, ...once);
      const { organizationId, ...row } = { ...entry, at: new Date() };
      await audit.updateOne({ _id, organizationId }, { $setOnInsert: row }, { upsert: true });
    },
    /** Counts an event by organization, actor, action and minute, so that a flood fills neither log nor memory. Returns at once. */
    count(entry: AuditEntry, at: Date = new Date()): void {
      counts.add(entry, at);
    },
    /** Lists newest first. */
    async list(
      organizationId: string,
      { action, from, to }: AuditFilter,
      after: ListPosition | null,
      limit: number,
    ): Promise<readonly AuditRecord[]> {
      const last = after === null ? to : after.createdAt;
      const older = after === null ? {} : { $or: [{ at: { $lt: after.createdAt } }, { _id: { $lt: after.id } }] };
      const at = { ...(from !== undefined && { $gte: from }), ...(last !== undefined && { $lte: last }) };
      // An area is a range of names: from `key.` up to, but not including, `key/`.
      const named =
        action === undefined
          ? {}
          : { action: action.includes('.') ? action : { $gte: `${action}.`, $lt: `${action}/` } };
      const rows = await audit
        .find({ organizationId, ...named, ...(Object.keys(at).length > 0 && { at }), ...older })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return rows.map(recordOf);
    },
  };
}

/** Log of security-relevant actions. Source: docs/decisions/0035, docs/decisions/0090. */
export type AuditLog = ReturnType<typeof createAuditLog>;
