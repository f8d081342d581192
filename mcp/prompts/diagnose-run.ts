import { tools } from '#tools/index.ts';
import { completeRun } from '#mcp/completion/completers.ts';
import { attach, attachWorkflow } from '#mcp/prompts/attach.ts';
import { says, steps, type McpPrompt, type PromptMessage } from '#mcp/prompts/prompt.ts';

export const diagnoseRun: McpPrompt = {
  name: 'diagnose_run',
  title: 'Diagnose a run',
  description: 'Why a run failed, waits or answered badly, and what mends it.',
  toolset: 'runs',
  scopes: ['runs:read', 'workflows:read'],
  changes: false,
  arguments: [
    { name: 'runId', title: 'Run', description: 'run_..., of list_runs', required: true, complete: completeRun },
  ],
  async messages(ask, { runId = '' }) {
    const { execution, run } = await ask(tools.getRun, { runId, detail: 'errors' });
    const state = { execution: { ...execution, runs: execution.runs.filter((one) => one.runId === runId) }, run };
    const found: PromptMessage[] = [attach({ kind: 'run', id: runId }, state)];
    const workflowId = execution.workflowId;
    if (run !== null && run.version !== null) found.push((await attachWorkflow(ask, workflowId, run.version)).message);
    const documentId = run?.documentId ?? '';
    const how = steps([
      `The run is ${run?.status ?? execution.status}; it is attached with the steps that failed, and the version of the workflow that ran.`,
      `Call get_run with runId "${runId}" and detail "steps": where did time go, and which step was the first to go wrong?`,
      `If it waits: say what waitingFor asks, and leave the answer (resume_run) to the person.`,
      `Look at the document itself: get_document with id "${documentId}" for confidence, read_document_text for what was recognized, view_document_image where that is doubtful.`,
      `Call list_runs with workflowId "${workflowId}" and status "failed": do others fail in the same step?`,
      'Say the cause in one sentence, how sure you are, and what mends it: another document, an edit (improve_workflow has the steps), or a repetition with replay_execution. Change nothing yourself.',
    ]);
    return [says(`Diagnose the Inkgraph run ${runId} of workflow ${workflowId}:\n${how}`), ...found];
  },
};
