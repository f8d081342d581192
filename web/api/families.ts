import type { z } from 'zod';
import type { dashboardDocuments } from '#src/contracts/dashboard/documents.ts';
import type { dashboardExperiments } from '#src/contracts/dashboard/experiments.ts';
import type { dashboardLive } from '#src/contracts/dashboard/live.ts';
import type { dashboardOperators } from '#src/contracts/dashboard/operators.ts';
import type { dashboardOrganization } from '#src/contracts/dashboard/organization.ts';
import type { dashboardRecords } from '#src/contracts/dashboard/records.ts';
import type { dashboardRuns } from '#src/contracts/dashboard/runs.ts';
import type { dashboardWorkflows } from '#src/contracts/dashboard/workflows.ts';
import type { dashboardWebhooks } from '#src/contracts/webhooks/rows.ts';
import type { Route } from '#src/contracts/route.ts';

/** Rows of the dashboard API. Their types come from the contracts, so that the pages and the server cannot disagree. */
export interface Families {
  readonly documents: typeof dashboardDocuments;
  readonly experiments: typeof dashboardExperiments;
  readonly live: typeof dashboardLive;
  readonly operators: typeof dashboardOperators;
  readonly organization: typeof dashboardOrganization;
  readonly records: typeof dashboardRecords;
  readonly runs: typeof dashboardRuns;
  readonly webhooks: typeof dashboardWebhooks;
  readonly workflows: typeof dashboardWorkflows;
}

export type Family = keyof Families;
export type Row<F extends Family> = keyof Families[F] & string;

type Part<Type> = Type extends z.ZodType ? z.input<Type> : never;
/** A part that a row does not have, or whose fields are all optional, may be left out. */
type Optional<Name extends string, Type> = string extends keyof Type
  ? { readonly [Key in Name]?: Type }
  : object extends Type
    ? { readonly [Key in Name]?: Type }
    : { readonly [Key in Name]: Type };

type InputOf<R> =
  R extends Route<infer Params, infer Query, infer Body>
    ? Optional<'params', Part<Params>> & Optional<'query', Part<Query>> & Optional<'body', Part<Body>>
    : never;
type ReplyOf<R> = R extends { readonly reply: infer Type extends z.ZodType } ? z.output<Type> : never;

/** Input of a row: `params` of the path, `query` and `body`, as far as the row has them. */
export type Input<F extends Family, R extends Row<F>> = InputOf<Families[F][R]>;
/** Answer of a row. */
export type Reply<F extends Family, R extends Row<F>> = ReplyOf<Families[F][R]>;
