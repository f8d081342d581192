import { known, oneOf, text, type Raw } from '../../state/search.ts';

export const runTabs = ['all', 'queued', 'running', 'waiting', 'failed', 'timed_out', 'canceled', 'succeeded'] as const;
export type RunTab = (typeof runTabs)[number];

function day(raw: Raw, name: string): string | undefined {
  const value = text(raw, name);
  return value !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
}

/** Filters of runs, as the address keeps them. `compare`: two ids, with a comma between them. */
export const runsSearch = (raw: Raw) =>
  known({
    status: oneOf(raw, 'status', runTabs),
    workflow: text(raw, 'workflow'),
    execution: text(raw, 'execution'),
    after: day(raw, 'after'),
    before: day(raw, 'before'),
    drafts: oneOf(raw, 'drafts', ['yes']),
    compare: text(raw, 'compare'),
  });
type RunsSearch = ReturnType<typeof runsSearch>;

/** First moment of a day where the person is, moved by `days`. */
function moment(date: string | undefined, days: number): string | undefined {
  if (date === undefined) return undefined;
  const at = new Date(`${date}T00:00:00`);
  at.setDate(at.getDate() + days);
  return at.toISOString();
}

/** The conditions that lists and calls for many runs share. `before` is the last day that counts. */
export const conditionsOf = ({ workflow, execution, after, before }: RunsSearch) => ({
  workflowId: workflow,
  executionId: execution,
  createdAfter: moment(after, 0),
  createdBefore: moment(before, 1),
});

/** `step`: the chosen step. `view`: how steps are shown. */
export const runSearch = (raw: Raw) =>
  known({ step: text(raw, 'step'), view: oneOf(raw, 'view', ['timeline', 'table']) });
