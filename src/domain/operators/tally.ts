import { runStatuses, type RunStatus } from '#src/contracts/lists/run-status.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

const dayMs = 86_400_000;

/** A day in UTC: `2026-05-31`. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

/** All days from `from` to `to`, both included, in order. */
export function daysBetween(from: string, to: string): readonly string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  const count = Math.max(0, Math.round((last - first) / dayMs) + 1);
  return Array.from({ length: count }, (_, at) => dayOf(new Date(first + at * dayMs)));
}

/** Value below which this share of the sorted values lies, by the nearest rank. null without values. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

type Tallied = Pick<RunRecord, 'createdAt' | 'status' | 'workflowId' | 'startedAt' | 'finishedAt' | 'steps'>;

const failures: ReadonlySet<RunStatus> = new Set<RunStatus>(['failed', 'timed_out']);

interface ByDay {
  succeeded: number;
  failed: number;
  other: number;
}

/** Counts of runs, one by one. Keeps a duration for each successful run, and nothing else of it. */
export class RunTally {
  total = 0;
  readonly byStatus: Record<RunStatus, number>;
  readonly byDay: Map<string, ByDay>;
  readonly byWorkflow = new Map<string, { runs: number; failed: number }>();
  readonly models: { calls: number; inputTokens: number | null; outputTokens: number | null; costUsd: number | null } =
    {
      calls: 0,
      inputTokens: null,
      outputTokens: null,
      costUsd: null,
    };
  readonly #durations: number[] = [];

  constructor(days: readonly string[]) {
    this.byStatus = Object.fromEntries(runStatuses.map((status) => [status, 0])) as Record<RunStatus, number>;
    this.byDay = new Map(days.map((day) => [day, { succeeded: 0, failed: 0, other: 0 }]));
  }

  add({ createdAt, status, workflowId, startedAt, finishedAt, steps = [] }: Tallied): void {
    this.total += 1;
    this.byStatus[status] += 1;
    const failed = failures.has(status);
    const day = this.byDay.get(dayOf(createdAt));
    if (day !== undefined) day[status === 'succeeded' ? 'succeeded' : failed ? 'failed' : 'other'] += 1;
    const ofWorkflow = this.byWorkflow.get(workflowId) ?? { runs: 0, failed: 0 };
    this.byWorkflow.set(workflowId, { runs: ofWorkflow.runs + 1, failed: ofWorkflow.failed + (failed ? 1 : 0) });
    if (status === 'succeeded' && startedAt !== undefined && finishedAt !== null)
      this.#durations.push(Math.max(0, finishedAt.getTime() - startedAt.getTime()));
    for (const { usage } of steps) if (usage) this.#addUsage(usage);
  }

  #addUsage(usage: NonNullable<NonNullable<RunRecord['steps']>[number]['usage']>): void {
    this.models.calls += 1;
    for (const field of ['inputTokens', 'outputTokens', 'costUsd'] as const) {
      const reported = usage[field];
      if (reported !== undefined) this.models[field] = (this.models[field] ?? 0) + reported;
    }
  }

  /** Failed runs among those that succeeded or failed; null without any. */
  get failureRate(): number | null {
    const failed = this.byStatus.failed + this.byStatus.timed_out;
    const decided = failed + this.byStatus.succeeded;
    return decided === 0 ? null : failed / decided;
  }

  /** Milliseconds; null without successful runs. */
  durations(): { readonly p50: number; readonly p95: number } | null {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
    return p50 === null || p95 === null ? null : { p50, p95 };
  }
}
