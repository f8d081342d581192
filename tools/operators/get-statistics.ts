import type { z } from 'zod';
import type { DocumentType } from '#src/contracts/media-types.ts';
import { Statistics, StatisticsQuery, statisticsLimits } from '#src/contracts/operators/statistics.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import { dayOf, daysBetween, RunTally } from '#src/domain/operators/tally.ts';
import type { TimeRange } from '#src/stores/operators/statistics.ts';
import { invalidInput } from '#tools/call.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';

type Context = ToolContext<'statistics' | 'usage'>;
type Figures = z.input<typeof Statistics>;

const dayMs = 86_400_000;
const startOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** Days of the range. Errors: `request.invalid` for a range that is empty or longer than 92 days. */
function daysOf({ from, to }: z.output<typeof StatisticsQuery>, today: string): readonly string[] {
  const last = to ?? today;
  const first = from ?? dayOf(new Date(startOf(last).getTime() - (statisticsLimits.daysDefault - 1) * dayMs));
  const span = Math.round((startOf(last).getTime() - startOf(first).getTime()) / dayMs) + 1;
  if (span < 1) throw invalidInput([{ pointer: '/from', code: 'invalid_value', message: `from is after to, ${last}` }]);
  if (span > statisticsLimits.days) {
    const message = `the range has ${span} days, and the most is ${statisticsLimits.days}: ask for a shorter one`;
    throw invalidInput([{ pointer: '/from', code: 'too_big', message }]);
  }
  return daysBetween(first, last);
}

async function countDocuments({ deps }: Context, tenant: Tenant, range: TimeRange, days: readonly string[]) {
  const byDay = new Map(days.map((day) => [day, 0]));
  const byType = new Map<DocumentType, number>();
  let total = 0;
  for await (const { createdAt, contentType } of deps.statistics.documents(tenant, range, statisticsLimits.documents)) {
    total += 1;
    const day = dayOf(createdAt);
    byDay.set(day, (byDay.get(day) ?? 0) + 1);
    byType.set(contentType, (byType.get(contentType) ?? 0) + 1);
  }
  const types = [...byType].map(([contentType, count]) => ({ contentType, count }));
  return {
    total,
    byDay: [...byDay].map(([day, count]) => ({ day, count })),
    byType: types.toSorted((a, b) => b.count - a.count),
  };
}

async function tallyRuns({ deps }: Context, tenant: Tenant, range: TimeRange, days: readonly string[]) {
  const tally = new RunTally(days);
  for await (const run of deps.statistics.runs(tenant, range, statisticsLimits.runs)) tally.add(run);
  return tally;
}

async function mostUsed({ deps, principal }: Context, { byWorkflow }: RunTally): Promise<Figures['workflows']> {
  const most = [...byWorkflow].toSorted(([, a], [, b]) => b.runs - a.runs).slice(0, statisticsLimits.workflows);
  const names = await deps.statistics.workflowNames(
    principal.organizationId,
    most.map(([id]) => id),
  );
  return most.map(([workflowId, counts]) => ({ workflowId, workflowName: names.get(workflowId) ?? null, ...counts }));
}

async function storageOf({ deps }: Context, { organizationId, projectIds }: Tenant): Promise<Figures['storage']> {
  const stored = [...(await deps.usage.read(organizationId, projectIds)).values()];
  return {
    bytes: stored.reduce((sum, { bytes }) => sum + bytes, 0),
    objects: stored.reduce((sum, { objects }) => sum + objects, 0),
  };
}

/** Source: `dashboard.statistics`, docs/decisions/0161. */
export const getStatistics = defineTool({
  name: 'get_statistics',
  description: 'Documents, runs, durations, model use and storage of your projects over a range of days.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  expensive: true,
  input: StatisticsQuery,
  output: Statistics,
  async run(ctx: Context, asked) {
    const { deps, principal } = ctx;
    const now = new Date();
    const days = daysOf(asked, dayOf(now));
    const [from = '', to = ''] = [days[0], days.at(-1)];
    const range = { from: startOf(from), until: new Date(startOf(to).getTime() + dayMs) };
    const projectIds = asked.projectId === undefined ? principal.projectIds : [projectFor(principal, asked.projectId)];
    const tenant = { organizationId: principal.organizationId, projectIds };
    const [documents, tally, queue, storage] = await Promise.all([
      countDocuments(ctx, tenant, range, days),
      tallyRuns(ctx, tenant, range, days),
      deps.statistics.queue(tenant),
      storageOf(ctx, tenant),
    ]);
    const { oldestQueuedAt: oldest } = queue;
    return {
      from,
      to,
      projectId: asked.projectId ?? null,
      complete: documents.total < statisticsLimits.documents && tally.total < statisticsLimits.runs,
      documents,
      runs: {
        total: tally.total,
        byStatus: tally.byStatus,
        byDay: [...tally.byDay].map(([day, counts]) => ({ day, ...counts })),
        failureRate: tally.failureRate,
        durationMs: tally.durations(),
      },
      queue: {
        ...queue,
        oldestQueuedAt: oldest?.toISOString() ?? null,
        oldestWaitSeconds: oldest === null ? null : Math.max(0, Math.round((now.getTime() - oldest.getTime()) / 1_000)),
      },
      models: tally.models,
      storage,
      workflows: await mostUsed(ctx, tally),
    };
  },
});
