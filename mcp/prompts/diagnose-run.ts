import { tools } from '#tools/index.ts';
import { completeRun } from '#mcp/completion/completers.ts';
import { attach, attachWorkflow } from '#mcp/prompts/attach.ts';
import { says, steps, type McpPrompt, type PromptMessage } from '#mcp/prompts/prompt.ts';

export const diagnoseRun: McpPrompt = {
  name: 'diagnose_run',
  title: 'Diagnose a run',
  description: 'Find out why a run failed, waits or gave a bad result, and how to fix it.',
  toolset: 'runs',
  scopes: ['runs:read', 'workflows:read'],
  changes: false,
  arguments: [
    { name: 'runId', title: 'Run', description: 'run_..., from list_runs', required: true, complete: completeRun },
  ],
  async messages(ask, { runId = '' }) {
    const { run } = await ask(tools.getRun, { runId, detail: 'errors' });
    const found: PromptMessage[] = [attach({ kind: 'run', id: runId }, { run })];
    const workflowId = run?.workflowId ?? '';
    if (run !== null && run.version !== null) found.push((await attachWorkflow(ask, workflowId, run.version)).message);
    const documentId = run?.documentId ?? '';
    const how = steps([
      `The run is ${run?.status ?? 'unknown'}; it is attached with its failed steps and the workflow version that ran.`,
      `Call get_run with runId "${runId}" and detail "steps": find the slow steps, and the first step that went wrong.`,
      `If it waits: report the question in waitingFor, and leave the answer (resume_run) to the user.`,
      `Check the document: get_document with id "${documentId}" for the confidence, read_document_text for the text, view_document_image where the text is doubtful.`,
      `Call list_runs with workflowId "${workflowId}" and status ["failed"]: check whether others fail in the same step.`,
      'State the cause in one sentence, your confidence, and the fix: another document, an edit (improve_workflow has the steps), or a retry with replay_execution. Change nothing yourself.',
    ]);
    return [says(`Diagnose the Inkgraph run ${runId} of workflow ${workflowId}:\n${how}`), ...found];
  },
};
