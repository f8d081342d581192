/**
 * Every failure a client or an agent can see: one row each. `code` is `area.reason`; `status` is read by the HTTP facade only.
 * `retry` says whether the same request may succeed later unchanged. Source: contracts.md "Errors"; RFC 9457.
 */
export interface FaultRow {
  readonly status: number;
  readonly title: string;
  readonly retry: boolean;
}

export const faults = {
  'request.malformed': { status: 400, title: 'Request is not well-formed', retry: false },
  'request.invalid': { status: 400, title: 'Request has invalid fields', retry: false },
  'request.cursor_invalid': { status: 400, title: 'Cursor is not one this service gave for this list', retry: false },
  'request.not_found': { status: 404, title: 'No such address', retry: false },
  'request.method_not_allowed': { status: 405, title: 'Method not allowed at this address', retry: false },
  'request.timeout': { status: 408, title: 'Request body did not arrive in time', retry: true },
  'request.length_required': { status: 411, title: 'Content-Length is required', retry: false },
  'request.too_large': { status: 413, title: 'Request body is too large', retry: false },
  'request.media_type': { status: 415, title: 'Content type is not accepted', retry: false },
  'request.range_not_satisfiable': { status: 416, title: 'Requested range lies outside the object', retry: false },
  'request.rate_limited': { status: 429, title: 'Too many requests', retry: true },
  'auth.unauthorized': { status: 401, title: 'Missing or unusable credential', retry: false },
  'auth.forbidden': { status: 403, title: 'This credential may not do that', retry: false },
  'upload.object_missing': { status: 409, title: 'Object has not been uploaded', retry: true },
  'upload.mismatch': { status: 422, title: 'Stored bytes are not what was declared', retry: false },
  'upload.not_found': { status: 404, title: 'No such upload', retry: false },
  'upload.too_large': { status: 413, title: 'Declared size is over the limit', retry: false },
  'upload.content_type': { status: 415, title: 'Content type is not accepted for documents', retry: false },
  'object.signature_invalid': { status: 403, title: 'Upload address is not valid', retry: false },
  'object.expired': { status: 403, title: 'Upload address has expired', retry: false },
  'object.exists': { status: 409, title: 'Object is already stored', retry: false },
  'object.length_mismatch': { status: 400, title: 'Body is not of the signed length', retry: false },
  'object.not_found': { status: 404, title: 'No such object', retry: false },
  'document.not_found': { status: 404, title: 'No such document', retry: false },
  'workflow.not_found': { status: 404, title: 'No such workflow', retry: false },
  'workflow.invalid': { status: 422, title: 'Workflow does not check', retry: false },
  'workflow.version_not_found': { status: 404, title: 'No such version of the workflow', retry: false },
  'workflow.conflict': { status: 409, title: 'Workflow was edited meanwhile', retry: false },
  'workflow.operation_refused': { status: 422, title: 'Edit operation cannot be applied', retry: false },
  'workflow.read_only': { status: 409, title: 'Workflow follows code and cannot be edited', retry: false },
  'workflow.bound': { status: 409, title: 'Workflow is bound to API keys', retry: false },
  'expression.failed': { status: 422, title: 'Expression cannot be evaluated', retry: false },
  'secret.unknown': { status: 422, title: 'No such project secret', retry: false },
  'outbound.refused': { status: 422, title: 'Outside address is not allowed', retry: false },
  'outbound.failed': { status: 503, title: 'Outside call failed', retry: true },
  'outbound.unexpected': { status: 422, title: 'Outside service answered something else than expected', retry: false },
  'execution.not_found': { status: 404, title: 'No such execution', retry: false },
  'run.not_found': { status: 404, title: 'No such run', retry: false },
  'run.not_waiting': { status: 409, title: 'Run does not wait for an answer', retry: false },
  'run.needs_input': { status: 422, title: 'Step lacks something it works on', retry: false },
  'idempotency.key_reused': { status: 409, title: 'Idempotency key reused with different input', retry: false },
  'image.undecodable': { status: 422, title: 'Image cannot be decoded', retry: false },
  'image.too_large': { status: 422, title: 'Image has too many pixels or pages', retry: false },
  'ocr.timeout': { status: 503, title: 'Text recognition took too long', retry: true },
  'ocr.failed': { status: 503, title: 'Text recognition failed', retry: true },
  'model.failed': { status: 503, title: 'Model did not answer usefully', retry: true },
  'model.unavailable': { status: 422, title: 'No model is configured for this', retry: false },
  'model.output_invalid': { status: 422, title: 'Model answer does not fit its schema', retry: true },
  'segmentation.failed': { status: 503, title: 'Segmentation failed', retry: true },
  'run.poisoned': { status: 422, title: 'Run ended its worker too often', retry: false },
  'run.worker_lost': { status: 503, title: 'Worker died during the step', retry: true },
  'run.timed_out': { status: 503, title: 'Run took longer than its limit', retry: false },
  'run.canceled': { status: 409, title: 'Run was canceled', retry: false },
  'run.step_timeout': { status: 503, title: 'Step took longer than its limit', retry: true },
  'run.step_limit': { status: 422, title: 'Run took more steps than its limit', retry: false },
  'service.unavailable': { status: 503, title: 'A dependency is down', retry: true },
  'service.internal': { status: 500, title: 'Unexpected error', retry: true },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof faults;
