import { z } from 'zod';
import type { Caller, Route } from '#src/contracts/route.ts';

const callers: Readonly<Record<Caller, string>> = {
  'workflow-key': 'Takes a workflow key.',
  'service-key': 'Takes a service key with the scope of the operation.',
  session: "Takes a session, and works on its active organization or on the user's organization in `organizationId`.",
  editor:
    "Takes a session, for its active organization or the user's organization in `organizationId`, or a service key with the scope of the operation.",
  anyone: 'Needs no credential.',
};

const shapeOf = (part: z.ZodType | undefined): Readonly<Record<string, unknown>> =>
  part instanceof z.ZodObject ? part.shape : {};

/** Sentences on how an operation is called, from its row. Source: docs/decisions/0193. */
export function describeRow(row: Route): string {
  const query = shapeOf(row.query);
  const body = shapeOf(row.body);
  const sentences: readonly (string | false)[] = [
    callers[row.caller],
    query['cursor'] !== undefined &&
      'A page has `limit` items at most; `nextCursor` of its reply is the `cursor` of the next one.',
    (query['wait'] !== undefined || body['wait'] !== undefined) &&
      'With `wait`, the reply comes when it is known, or after so many seconds.',
    body['idempotencyKey'] !== undefined &&
      'A repetition with the same `idempotencyKey` starts nothing again and has the reply of the first request.',
    row.stream === true &&
      'The reply is a stream of server-sent events, each with the JSON of this schema as its data.',
    row.lines === true && 'The reply is JSON Lines: one object of this schema a line.',
    row.csv === true && 'With `format=csv` the reply is a table.',
    row.files !== undefined && 'The reply is a file; its media type follows the format.',
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ');
}
