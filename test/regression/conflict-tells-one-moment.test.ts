import { expect, test } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import { callTool } from '#tools/call.ts';
import { tools } from '#tools/index.ts';
import { startTestApp } from '#test/support/test-app.ts';
import type { WorkflowStore } from '#src/stores/workflows.ts';

test('a conflict lists the edits up to the revision it names, also when another save comes in between', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api' } });
  const { deps, logger } = app.app;
  const principal = await new Authenticator(deps.apiKeys, logger).byKey(app.seed.agentKey, 'service-key');
  const ctx = { principal, requestId: 'test', surface: 'rest', signal: AbortSignal.timeout(30_000), deps } as const;
  const { workflowId } = await callTool(tools.createWorkflow, { ...ctx, outcome: {} }, { preset: 'wf_triage' });
  const edit = (baseVersion: number, name: string, workflows: WorkflowStore = deps.workflows) =>
    callTool(
      tools.updateWorkflow,
      { ...ctx, deps: { ...deps, workflows }, outcome: {} },
      { workflowId, baseVersion, operations: [{ op: 'set_metadata', name }] },
    );
  await edit(1, 'First');
  const meddled: WorkflowStore = {
    ...deps.workflows,
    // Between what the conflict reads of the draft and of its edits.
    async editsSince(...asked) {
      await edit(2, 'Second');
      return deps.workflows.editsSince(...asked);
    },
  };
  const conflict = await edit(1, 'Late', meddled).catch((error: unknown) => error);
  expect(conflict).toMatchObject({
    code: 'workflow.conflict',
    data: { currentRevision: 2, operationsSince: [{ revision: 2 }], complete: true },
  });
});
