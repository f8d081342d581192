import { own } from '#src/contracts/own.ts';
import type { ErrorCode } from '#src/contracts/error-codes.ts';
import type { AppError } from '#src/domain/app-error.ts';

const uploadAgain = 'Start over: call upload_document with action presign, PUT the file, then action acknowledge.';
const runIds = 'Call run_workflow, then get_run with the executionId that it returns.';

/** The next call after an error. Codes without a row follow their `retry` flag. */
const hints: Partial<Record<ErrorCode, string>> = {
  'request.cursor_invalid': 'Call the same list again without cursor, then follow its nextCursor.',
  'request.not_confirmed': 'Do not retry. Tell the user what you wanted to do, and why.',
  'auth.forbidden':
    'Call get_context for the scopes of this credential. With OAuth, ask the user to allow the missing scope on the page /apps of the service, or reconnect and request it. With a key, ask its owner for one with more scopes.',
  'auth.second_factor_required':
    'Tell the user to open the page /two-factor of the service and set one up: codes of an app, or a passkey.',
  'app.not_found': 'People manage programs at the dashboard. Tell the user.',
  'client.not_found': 'People manage programs at the dashboard. Tell the user.',
  'project.not_found': 'Call get_context for your projects.',
  'key.not_found': 'Call list_api_keys and use an id from its result.',
  'key.spent': 'Call list_api_keys: the field state shows which keys work.',
  'member.not_found': 'People manage members at the dashboard. Tell the user.',
  'member.last_owner': 'People manage members at the dashboard. Tell the user.',
  'secret.not_found': 'People manage secrets at the dashboard. Tell the user which secret is missing.',
  'secret.unknown': 'People manage secrets at the dashboard. Tell the user which secret is missing.',
  'model.unavailable': 'Call get_context for the available models. Tell the user that none is configured for this.',
  'document.not_found': 'Call list_documents or search_documents and use an id from the result.',
  'document.unread': 'Call run_workflow with the documentId, and read again when the run has ended.',
  'workflow.not_found': 'Call list_workflows and use a workflowId from its result.',
  'workflow.version_not_found':
    'Call run_workflow with version "draft", or publish_workflow first. list_workflow_versions has the published versions.',
  'workflow.conflict':
    'Data has the changes since. Call again with its currentRevision as baseVersion; get_workflow returns the whole draft.',
  'workflow.operation_refused': 'Nothing was applied. Correct that operation and send all operations again.',
  'workflow.invalid': 'Fix the first issue in Data with update_workflow, then check again. Its fix has the operations.',
  'workflow.read_only': 'Call create_workflow with from and this workflowId, then edit the copy.',
  'workflow.bound': 'Keys are bound to this workflow. Tell the user that an admin must revoke them first.',
  'dataset.split_conflict':
    'Save again with the same split for a document and its copies as in earlier versions, or without them.',
  'experiment.model_missing': 'Call again without llm_judge. Tell the user that no chat model is configured.',
  'record.not_found': 'Call query_records and use a recordId from its result.',
  'record.conflict': 'Call query_records with the documentId, then correct_record with its revision.',
  'record_type.not_found': 'Call list_record_types and use a name from its result.',
  'record_type.conflict': 'Call list_record_types, then save_record_type with its version as baseVersion.',
  'dataset.not_found': 'Call save_dataset, or use the datasetId that it returned.',
  'dataset.version_not_found': 'Call get_dataset without version.',
  'dataset.conflict': 'Call get_dataset, then save_dataset with its version as baseVersion.',
  'dataset.unfit': 'Add documents or references with save_dataset.',
  'experiment.not_found': 'Use the experimentId that run_experiment or improve_workflow returned.',
  'experiment.holdout_hidden': 'Look at documents of an experiment on dev.',
  'experiment.too_large': 'Call run_experiment with dryRun true for the number of runs.',
  'experiment.effect_refused': 'Give the variant operations that remove the node.',
  'run.effect_refused': 'Go on without this node, or publish_workflow and run it.',
  'experiment.unanswered': 'Add reference.answers with save_dataset.',
  'workflow.gate_unmet':
    'Data has the arguments for run_experiment. Publish again when it says better, or ask an owner.',
  'execution.not_found': runIds,
  'run.not_found': runIds,
  'run.not_waiting': 'Call get_run with this runId: the run may have continued, ended, or asked another question.',
  'idempotency.key_reused': 'Call again with the input of the first call, or with another idempotencyKey.',
  'quota.exceeded': 'Data has the figures. Tell the user that documents must be deleted first.',
  'upload.not_found': uploadAgain,
  'upload.mismatch': uploadAgain,
  'upload.changed': uploadAgain,
  'object.expired': uploadAgain,
  'upload.object_missing':
    'PUT the raw bytes to upload.uploadUrl first, then call upload_document with action acknowledge again.',
  'upload.too_large': 'Call get_context for limits.uploadMaxBytes and upload a smaller file.',
  'upload.content_type': 'Upload one of limits.contentTypes of get_context, such as PNG, JPEG or PDF.',
  'image.undecodable': 'The file is not a readable image. Check it and upload it again.',
  'image.too_large': 'Reduce the size of the image and upload it again.',
};

/** The next call after a run or node that failed with this code; null for codes without a row. */
export const hintOfCode = (code: string): string | null => own(hints, code) ?? null;

export function hintFor(error: AppError, toolName: string): string {
  if (error.code === 'request.invalid') {
    const isOfProject = error.errors.some(({ pointer }) => pointer === '/projectId');
    const where = isOfProject ? ' get_context lists the projects.' : '';
    return `Correct the fields named above and call ${toolName} again.${where}`;
  }
  const hint = hints[error.code];
  if (hint !== undefined) return hint;
  if (!error.row.retry) return 'The same call will fail again. Call get_context to see what this credential can do.';
  const wait = error.retryAfterSeconds === undefined ? 'a few seconds' : `${error.retryAfterSeconds} seconds`;
  return `Call ${toolName} again with the same input after ${wait}.`;
}
