import type { z } from 'zod';
import type { FaultCode } from '#src/contracts/faults.ts';

export type Caller = 'workflow-key' | 'service-key' | 'anyone';

/**
 * One row of the specification's endpoint tables: everything that crosses the wire there. Express binding, OpenAPI and the tests
 * walk these rows.
 */
export interface Route<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Express form: `/documents/:id`. */
  readonly path: string;
  readonly caller: Caller;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly reply: Reply;
  /** Status of the usual success; `also` names other successes with the same body. */
  readonly status: number;
  readonly also?: Readonly<Record<number, string>>;
  /** The success is a stream of server-sent events; `reply` is the data of one. */
  readonly stream?: true;
  /** Faults of this row beside the ones every row has (400, 401, 403, 429, 500, 503). */
  readonly faults: readonly FaultCode[];
}

export function route<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(row: Route<Params, Query, Body, Reply>): Route<Params, Query, Body, Reply> {
  return row;
}
