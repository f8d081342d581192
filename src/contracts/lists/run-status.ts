export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'canceled', 'timed_out'] as const;
export type RunStatus = (typeof runStatuses)[number];
export const executionStatuses = [...runStatuses, 'partially_succeeded'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];
