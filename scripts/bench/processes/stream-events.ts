/** What both sides of the row on streams tell, and how they are measured. */
import { newId } from '#src/domain/ids.ts';

/** Events told one after the other. */
export interface TellJob {
  readonly count: number;
  readonly everyMs: number;
}

/** Milliseconds since 1970, in parts: comparable between processes of one machine. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

/** What a step of a run says. */
export const sampleData = () => ({
  nodeId: 'describe_1',
  nodeType: 'describe',
  attempt: 1,
  status: 'succeeded',
  ms: 123,
  runStatus: 'running',
  workflowId: newId('workflow'),
  version: 3,
});

/** After full collections. */
export function settledRss(): number {
  for (let time = 0; time < 5; time += 1) globalThis.gc?.();
  return process.memoryUsage.rss();
}
