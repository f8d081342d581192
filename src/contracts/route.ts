import { z } from 'zod';
import { AnyId } from '#src/contracts/fields.ts';
import type { ErrorCode } from '#src/contracts/error-codes.ts';

/** Source: specification §5. */
export const sessionCookie = 'app.session_token';

/** `editor`: a session, or a service key with the scopes that the tool wants. */
export type Caller = 'workflow-key' | 'service-key' | 'session' | 'editor' | 'anyone';

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
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
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
  readonly faults: readonly ErrorCode[];
}

export function route<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(row: Route<Params, Query, Body, Reply>): Route<Params, Query, Body, Reply> {
  return row;
}

const InOrganization = z.strictObject({
  organizationId: AnyId.optional().describe(
    "Instead of the session's active organization; one that the user is a member of",
  ),
});

/**
 * A row of the dashboard family: opened by the session cookie, for the active organization of the session or the one that the query
 * names. Source: specification §4.3 "Rules for search" 1; docs/decisions/0016.
 */
export function dashboardRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(row: Omit<Route<Params, Query, Body, Reply>, 'caller'>): Route<Params, z.ZodObject, Body, Reply> {
  const query = row.query === undefined ? InOrganization : InOrganization.extend(row.query.shape);
  return { ...row, caller: 'session', query, faults: [...row.faults, 'organization.not_found'] };
}
