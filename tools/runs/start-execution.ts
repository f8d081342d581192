import type { z } from 'zod';
import type { Execution } from '#src/contracts/resources/execution.ts';
import { runCreated } from '#src/domain/events/realtime.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentExecution } from '#tools/runs/present.ts';

/** Who and what asks for it. */
export function startedBy({
  principal,
  surface,
}: ToolContext): Pick<ExecutionRecord, 'source' | 'apiKeyId' | 'userId'> {
  const { keyId, session } = principal;
  const source = surface === 'mcp' ? 'mcp' : session === null ? 'service' : 'dashboard';
  return { source, apiKeyId: keyId, userId: session?.userId ?? null };
}

/** Stores it with a run for each document, and wakes the workers. */
export async function startExecution(
  { deps }: ToolContext,
  wanted: ExecutionRecord,
): Promise<z.input<typeof Execution>> {
  const { execution, runs } = await deps.executions.create(wanted, newRuns);
  await deps.wake.notify();
  deps.announce(runs.map(runCreated));
  return presentExecution(execution, runs);
}
