import type { ErrorCode } from '#src/contracts/error-codes.ts';
import type { AppError } from '#src/domain/app-error.ts';

const uploadAgain = 'Start over: call upload_document with action presign, PUT the file, then action acknowledge.';
const runIds = 'Ids come from run_workflow: call it, then get_run with the executionId it answers.';

/** The next call to make after a fault. Codes without a row get the rule of their `retry` flag. */
const hints: Partial<Record<ErrorCode, string>> = {
  'request.cursor_invalid': 'Call the same list again without cursor and follow its nextCursor.',
  'request.not_confirmed': 'Do not call again unasked: tell the user what you wanted to do, and why.',
  'auth.forbidden':
    'Call get_context to see the scopes this credential has. Under OAuth reconnect and ask for the missing one; of a key ask its owner for a wider one.',
  'app.not_found': 'Programs are let in and managed by people at the dashboard: tell the person.',
  'client.not_found': 'Programs are let in and managed by people at the dashboard: tell the person.',
  'project.not_found': 'Call get_context for the projects that are yours.',
  'key.not_found': 'Call list_api_keys and use an id from there.',
  'key.spent': 'Call list_api_keys: its state tells which keys work.',
  'member.not_found': 'Members are managed by people at the dashboard: tell the person.',
  'member.last_owner': 'Members are managed by people at the dashboard: tell the person.',
  'secret.not_found': 'Secrets are kept by people at the dashboard: tell the person which one is missing.',
  'secret.unknown': 'Secrets are kept by people at the dashboard: tell the person which one is missing.',
  'model.unavailable': 'Call get_context for the models there are: tell the person that none is configured for this.',
  'document.not_found': 'Call list_documents or search_documents and use an id from there.',
  'workflow.not_found': 'Call list_workflows and use a workflowId from there.',
  'workflow.version_not_found': 'Call list_workflow_versions and use a version from there.',
  'workflow.conflict':
    'See Data for what changed since, and call again with its currentRevision as baseVersion; get_workflow shows the draft whole.',
  'workflow.operation_refused': 'Nothing was applied: correct that operation and send all of them again.',
  'workflow.invalid':
    'Mend the first issue in Data with update_workflow, and look again: its fix has the operations that do it.',
  'workflow.read_only': 'Call create_workflow with from and this workflowId, and edit the copy.',
  'workflow.bound': 'The keys have to be revoked first, by somebody who may: tell the person.',
  'execution.not_found': runIds,
  'run.not_found': runIds,
  'run.not_waiting':
    'Call get_run with this runId: it tells whether the run goes on, has ended, or asks something else.',
  'idempotency.key_reused': 'Call again with the input of the first call, or with another idempotencyKey.',
  'upload.not_found': uploadAgain,
  'upload.mismatch': uploadAgain,
  'object.expired': uploadAgain,
  'upload.object_missing':
    'PUT the raw bytes to upload.uploadUrl first, then call upload_document with action acknowledge again.',
  'upload.too_large': 'Call get_context for limits.uploadMaxBytes and upload a smaller file.',
  'upload.content_type': 'Upload a PNG, JPEG, WebP, TIFF, GIF or PDF.',
  'image.undecodable': 'The file is not a readable image: check it and upload it again.',
  'image.too_large': 'Make the image smaller and upload it again.',
};

export function hintFor(error: AppError, toolName: string): string {
  if (error.code === 'request.invalid') {
    const isOfProject = error.errors.some(({ pointer }) => pointer === '/projectId');
    const where = isOfProject ? ' get_context names the projects.' : '';
    return `Correct the fields named above and call ${toolName} again.${where}`;
  }
  const hint = hints[error.code];
  if (hint !== undefined) return hint;
  if (!error.row.retry) return 'The same call will fail again: call get_context to see what is possible here.';
  const wait = error.retryAfterSeconds === undefined ? 'a few seconds' : `${error.retryAfterSeconds} seconds`;
  return `Call ${toolName} again with the same input after ${wait}.`;
}
