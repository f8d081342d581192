import { z } from 'zod';
import { AnyId } from '#src/contracts/fields.ts';
import type { ErrorCode } from '#src/contracts/error-codes.ts';

/** Source: `auth.session.cookie`. */
export const sessionCookie = 'app.session_token';

/** Credential that opens a route. `editor`: a session, or a service key with the scopes of the tool. */
export type Caller = 'workflow-key' | 'service-key' | 'session' | 'editor' | 'anyone';

/**
 * One endpoint: everything that crosses the wire there. The Express binding, the OpenAPI document and the tests read the same rows.
 */
export interface Route<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** In Express syntax: `/documents/:id`. */
  readonly path: string;
  readonly caller: Caller;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly reply: Reply;
  /** Status of the usual success; `also` lists other success statuses with the same body. */
  readonly status: number;
  readonly also?: Readonly<Record<number, string>>;
  /** The response is a stream of server-sent events; `reply` is the data of one event. */
  readonly stream?: true;
  /** The response is a stream of JSON Lines; `reply` is one line. */
  readonly lines?: true;
  /** The response is a table with `format=csv`. */
  readonly csv?: true;
  /** The response is a file in one of these media types; there is no JSON. */
  readonly files?: readonly string[];
  /** Errors of this route, in addition to those of every route (400, 401, 403, 429, 500, 503). */
  readonly errors: readonly ErrorCode[];
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
    "Organization of the user to work on; default: the session's active organization",
  ),
});

const Nothing = z.strictObject({});

/** Query of a dashboard route: its own fields and `organizationId`. */
type WithOrganization<Query extends z.ZodObject> = z.ZodObject<
  Omit<Query['shape'], keyof (typeof InOrganization)['shape']> & (typeof InOrganization)['shape'],
  z.core.$strict
>;

/**
 * A route of the dashboard API: takes a session cookie and `organizationId`, which overrides the session's active organization. The
 * names of the query are kept in the type: a client that misspells one does not compile.
 * Source: `dashboard.list.organization_id`, docs/decisions/0016.
 */
export function dashboardRoute<
  Params extends z.ZodObject,
  Query extends z.ZodObject = typeof Nothing,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
>(
  row: Omit<Route<Params, Query, Body, Reply>, 'caller'>,
): Route<Params, WithOrganization<Query>, Body, Reply> & { readonly query: WithOrganization<Query> } {
  const query = row.query === undefined ? InOrganization : InOrganization.extend(row.query.shape);
  return {
    ...row,
    caller: 'session',
    query: query as unknown as WithOrganization<Query>,
    errors: [...row.errors, 'organization.not_found', 'auth.second_factor_required'],
  };
}
