import { request, type CallOptions, type Connection } from './request.ts';
import { rows } from './rows.gen.ts';
import type { Execution } from './types.gen.ts';

export interface WaitOptions extends CallOptions {
  /** Called with each state that the server reports. */
  readonly onChange?: (execution: Execution) => void;
}

/** Ended, or nothing but questions to people is left. */
const isSettled = ({ finishedAt, counts }: Execution): boolean =>
  finishedAt !== null || (counts.waiting > 0 && counts.queued + counts.running === 0);

/**
 * Waits for the end of an execution: the server holds each request until something changes. Returns early, with status `waiting`, when all
 * runs that are left wait for a person's answer.
 */
export async function wait(
  connection: Connection,
  execution: string | { readonly id: string },
  { signal, onChange }: WaitOptions = {},
): Promise<Execution> {
  const id = typeof execution === 'string' ? execution : execution.id;
  for (let seconds = 0; ; seconds = 20) {
    const response = await request(connection, rows.service.getExecution, { id, wait: seconds }, { signal });
    const now = (await response.json()) as Execution;
    onChange?.(now);
    if (isSettled(now)) return now;
  }
}
