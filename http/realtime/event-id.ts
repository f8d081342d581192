import type { Request } from 'express';
import type { Route } from '#src/contracts/route.ts';
import { AppError } from '#src/domain/app-error.ts';
import { fieldErrors, invalidInput } from '#tools/call.ts';
import type { LogPosition } from '#src/stores/event-reads.ts';

/** A position in an organization's log: `<epoch>-<seq>` on the wire. */
export interface EventId {
  readonly epoch: string;
  readonly seq: number;
}

export const eventIdText = (epoch: string, seq: number): string => `${epoch}-${seq}`;

/** Parses the query of a row. Error: `request.invalid`. */
export function streamQuery({ query }: Route, request: Request): Record<string, unknown> {
  const parsed = query?.safeParse(request.query);
  if (parsed?.error !== undefined) throw invalidInput(fieldErrors(parsed.error));
  return parsed?.data ?? {};
}

/**
 * Reads the reader's last position from the header, or else from the query, since a page cannot set the header on its first request. null
 * for a new reader. Error: `request.invalid` for an id of another form.
 */
export function lastEventId(request: Request, query: Record<string, unknown>): EventId | null {
  const text = request.get('last-event-id') ?? query['lastEventId'];
  if (typeof text !== 'string' || text === '') return null;
  const [, epoch, seq] = /^([0-9a-f]{1,32})-(\d{1,15})$/.exec(text) ?? [];
  if (epoch === undefined || seq === undefined)
    throw new AppError(
      'request.invalid',
      'Last-Event-ID is not an id of this stream. Send the last id that you received, or none.',
      {
        errors: [{ pointer: '/lastEventId', code: 'event_id_invalid', message: 'expected <epoch>-<number>' }],
      },
    );
  return { epoch, seq: Number(seq) };
}

/** True while the log still has every event after `from`. */
export const resumable = (from: EventId, { epoch, forgotten, last }: LogPosition): boolean =>
  from.epoch === epoch && from.seq >= forgotten && from.seq <= last;
