import type { z } from 'zod';
import { Execution, ReplayInput } from '#src/contracts/resources/execution.ts';
import { callerIdOf } from '#src/domain/access/principal.ts';
import { derivedId, newId } from '#src/domain/ids.ts';
import { invalidInput } from '#tools/call.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';
import { idempotent } from '#tools/idempotent.ts';
import { chosenVersion } from '#tools/runs/chosen-version.ts';
import { requireExecution } from '#tools/runs/require-run.ts';
import { startedBy, startExecution } from '#tools/runs/start-execution.ts';

type Input = z.output<typeof ReplayInput>;
const unsuccessful: ReadonlySet<string> = new Set(['failed', 'timed_out', 'canceled']);

async function replay(
  ctx: ToolContext<'announce' | 'documents' | 'executions' | 'wake' | 'workflows' | 'thumbnails'>,
  input: Input,
  id: string,
): Promise<z.input<typeof Execution>> {
  const { deps, principal } = ctx;
  const original = await requireExecution(ctx, input.executionId);
  if (original.experiment !== undefined)
    throw invalidInput([
      {
        pointer: '/executionId',
        code: 'of_experiment',
        message:
          'this execution belongs to an experiment: run the workflow over its document, or start another experiment',
      },
    ]);
  if (original.draft !== undefined)
    throw invalidInput([
      {
        pointer: '/executionId',
        code: 'of_draft',
        message: 'this execution ran a draft: run it again with run_workflow and version "draft"',
      },
    ]);
  const runs = await deps.executions.runsOf(original.organizationId, original._id);
  const failed = new Set(runs.filter((run) => unsuccessful.has(run.status)).map((run) => run.documentId));
  const documentIds = original.documentIds.filter((one) => input.only === 'all' || failed.has(one));
  if (documentIds.length === 0)
    throw invalidInput([
      {
        pointer: '/only',
        code: 'nothing_to_replay',
        message: 'no run of this execution failed: leave only out to replay all documents',
      },
    ]);
  // An upload's version is fixed when a worker first claims its run.
  const same = original.version ?? runs.find((run) => run.version !== null)?.version ?? null;
  const chosen = await chosenVersion(ctx, original.workflowId, input.version === 'same' ? same : null);
  if ((await deps.documents.countReadable(principal, documentIds)) !== documentIds.length) throw documentMissing();
  return startExecution(ctx, {
    _id: id,
    schemaVersion: 1,
    organizationId: principal.organizationId,
    projectId: original.projectId,
    workflowId: original.workflowId,
    ...chosen,
    ...startedBy(ctx),
    documentIds,
    initialState: original.initialState,
    replayOf: original._id,
    createdAt: new Date(),
  });
}

export const replayExecution = defineTool({
  name: 'replay_execution',
  description: 'Run an execution again with the same documents and initial state, or only its failed documents.',
  scope: 'runs:execute',
  effect: 'write',
  audit: false,
  idempotent: false,
  expensive: true,
  input: ReplayInput,
  output: Execution,
  async run(
    ctx: ToolContext<'announce' | 'documents' | 'executions' | 'idempotency' | 'wake' | 'workflows' | 'thumbnails'>,
    input,
  ) {
    const { idempotencyKey, ...body } = input;
    if (idempotencyKey === undefined) return replay(ctx, input, newId('execution'));
    const { organizationId } = ctx.principal;
    const request = { endpoint: 'execution-replays', key: idempotencyKey, body };
    const reply = await idempotent(ctx, request, async (fingerprint) => {
      const caller = callerIdOf(ctx.principal);
      const id = derivedId('execution', organizationId, caller, 'replay', idempotencyKey, fingerprint);
      return { status: 202, body: await replay(ctx, input, id) };
    });
    return Execution.parse(reply.body);
  },
});
