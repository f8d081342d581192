import { errorCodes, type ErrorCode } from '#src/contracts/error-codes.ts';
import { own } from '#src/contracts/own.ts';
import { failureReasons, type FailureReason } from '#src/domain/failure-reason.ts';

/** Failure of a run or of its judging, without words that could quote a document. */
export interface Failure {
  readonly code: string;
  readonly reason?: FailureReason | undefined;
}

/**
 * Errors of the machinery, in words after "runs failed:": the run tells nothing of its workflow. null: the error is a result, as the same
 * version would give it again, or it ends no run. Source: docs/decisions/0271.
 */
const machinery: Readonly<Record<ErrorCode, string | null>> = {
  'request.malformed': null,
  'request.invalid': null,
  'request.cursor_invalid': null,
  'request.not_found': null,
  'request.method_not_allowed': null,
  'request.host_not_allowed': null,
  'request.origin_not_allowed': null,
  'request.not_confirmed': null,
  'request.timeout': null,
  'request.length_required': null,
  'request.too_large': null,
  'request.media_type': null,
  'request.range_not_satisfiable': null,
  'request.rate_limited': 'a limit of requests was reached',
  'auth.unauthorized': null,
  'auth.forbidden': null,
  'auth.second_factor_required': null,
  'auth.reauthentication_required': null,
  'link.invalid': null,
  'mail.not_configured': null,
  'passkey.unavailable': null,
  'auth.email_taken': null,
  'upload.object_missing': null,
  'upload.changed': null,
  'upload.mismatch': null,
  'upload.not_found': null,
  'upload.too_large': null,
  'upload.content_type': null,
  'quota.exceeded': 'the storage quota is used up',
  'object.signature_invalid': null,
  'object.expired': null,
  'object.exists': null,
  'object.deleted': 'the document was deleted',
  'object.length_mismatch': null,
  'object.digest_mismatch': null,
  'object.not_found': 'a stored object was not there',
  'organization.not_found': null,
  'organization.slug_taken': null,
  'session.not_found': null,
  'passkey.not_found': null,
  'project.not_found': null,
  'project.name_taken': null,
  'member.not_found': null,
  'member.last_owner': null,
  'invitation.not_found': null,
  'invitation.member_already': null,
  'key.not_found': null,
  'key.spent': null,
  'app.not_found': null,
  'client.not_found': null,
  'secret.not_found': null,
  'conversation.not_found': null,
  'document.not_found': 'the document was deleted',
  'document.conflict': null,
  'document.unread': null,
  'view.not_found': null,
  'webhook.not_found': null,
  'webhook.delivery_not_found': null,
  'webhook.too_many': null,
  'webhook.disabled': null,
  'webhook.url': null,
  'view.too_many': null,
  'workflow.not_found': null,
  'workflow.invalid': null,
  'workflow.version_not_found': null,
  'workflow.conflict': null,
  'workflow.operation_refused': null,
  'workflow.read_only': null,
  'workflow.bound': null,
  'expression.failed': null,
  'secret.unknown': null,
  'secret.unbound': null,
  'outbound.refused': null,
  'outbound.failed': 'an outside service failed',
  'outbound.unexpected': null,
  'execution.not_found': null,
  'dataset.not_found': null,
  'dataset.version_not_found': null,
  'dataset.conflict': null,
  'dataset.split_conflict': null,
  'dataset.unfit': null,
  'record.not_found': null,
  'record.conflict': null,
  'record_type.not_found': null,
  'record_type.conflict': null,
  'experiment.not_found': null,
  'experiment.holdout_hidden': null,
  'experiment.model_missing': null,
  'experiment.too_large': null,
  'experiment.effect_refused': 'an experiment sends nothing to other systems',
  'experiment.unanswered': 'the reference has no answer to a question of the run',
  'workflow.gate_unmet': null,
  'run.not_found': null,
  'run.unfinished': null,
  'run.not_waiting': null,
  'run.effect_refused': null,
  'run.node_failed': null,
  'run.needs_input': null,
  'idempotency.key_reused': null,
  'image.undecodable': null,
  'image.too_large': null,
  'ocr.timeout': 'text recognition took too long',
  'ocr.failed': 'text recognition failed',
  'model.refused': 'the model refused the key',
  'model.failed': 'the model failed',
  'model.unavailable': 'no model is configured',
  'model.output_invalid': null,
  'segmentation.failed': 'the segmentation service failed',
  'run.poisoned': 'the run crashed its worker too often',
  'run.worker_lost': 'the worker died during a step',
  'run.timed_out': 'the run took too long',
  'run.canceled': 'the run was canceled',
  'run.step_timeout': 'a step took too long',
  'run.compute_exceeded': 'the run used up its computing time',
  'run.step_limit': null,
  'storage.full': 'the storage is full',
  'service.unavailable': 'a dependency was not available',
  'service.internal': null,
};

const services: Readonly<Record<string, string>> = {
  model: 'the model',
  outbound: 'an outside service',
  segmentation: 'the segmentation service',
};

/** Errors that every run of this installation meets alike, and that a run may go on after: they belong to its result. */
const usual: ReadonlySet<string> = new Set<ErrorCode>(['experiment.effect_refused', 'model.unavailable']);

/** Errors of the machinery that a repetition meets again. */
const lasting: ReadonlySet<string> = new Set<ErrorCode>([
  'document.not_found',
  'experiment.effect_refused',
  'experiment.unanswered',
  'model.unavailable',
  'object.deleted',
  'run.canceled',
  'run.compute_exceeded',
  'run.poisoned',
]);

/** True if the failure is no observation of the workflow. */
export const isMachinery = ({ code, reason }: Failure): boolean =>
  reason === undefined ? typeof own(machinery, code) === 'string' : reason !== 'request_unfit';

/** True if such a failure makes a run that went on after it no observation, too. */
export const spoils = (failure: Failure): boolean => isMachinery(failure) && !usual.has(failure.code);

/** True if another run may succeed. */
export const mayPass = (failure: Failure): boolean => isMachinery(failure) && !lasting.has(failure.code);

/** The failure in words, after "runs failed:". */
export function wordsOf({ code, reason }: Failure): string {
  const service = own(services, code.slice(0, code.indexOf('.')));
  if (reason !== undefined && service !== undefined) return `${service} ${failureReasons[reason]}`;
  const title = own(errorCodes, code)?.title ?? code;
  return own(machinery, code) ?? `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}
