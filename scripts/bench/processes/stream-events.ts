/** Events and measurement that both sides of the stream row share. */
import { newId } from '#src/domain/ids.ts';

/** Number of events, sent one after the other. */
export interface TellJob {
  readonly count: number;
  readonly everyMs: number;
}

/** Milliseconds since 1970, in parts: comparable between processes of one machine. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

/** Payload of one event, as for a step of a run. */
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
