import type { ErrorCode } from '#src/contracts/error-codes.ts';

/** Example call of a tool, and its errors besides those of every tool, which `docs/reference/tools.md` lists once. */
interface ToolCall {
  readonly example: Readonly<Record<string, unknown>>;
  readonly errors: readonly ErrorCode[];
}

const documentId = 'doc_01k9';
const workflowId = 'wf_01k9';
const executionId = 'exec_01k9';
const runId = 'run_01k9';
const datasetId = 'ds_01k9';
const experiment: readonly ErrorCode[] = [
  'dataset.not_found',
  'dataset.version_not_found',
  'dataset.unfit',
  'workflow.not_found',
  'workflow.version_not_found',
  'workflow.invalid',
  'workflow.operation_refused',
  'experiment.effect_refused',
  'experiment.too_large',
  'idempotency.key_reused',
];
const draft: readonly ErrorCode[] = ['workflow.not_found', 'workflow.read_only', 'workflow.conflict'];

/** By the name of the tool. A test holds that each tool of MCP has a row, and that its input is taken. */
export const toolCalls: Readonly<Record<string, ToolCall>> = {
  get_context: { example: {}, errors: [] },
  list_workflows: { example: { limit: 10 }, errors: ['request.cursor_invalid'] },
  get_workflow: {
    example: { workflowId, detail: 'summary' },
    errors: ['workflow.not_found', 'workflow.version_not_found'],
  },
  describe_node_types: { example: { types: ['extract'] }, errors: [] },
  validate_workflow: {
    example: { workflowId, operations: [{ op: 'set_entry', nodeId: 'recognize' }] },
    errors: ['workflow.not_found', 'workflow.version_not_found', 'workflow.operation_refused'],
  },
  test_node: {
    example: { workflowId, nodeId: 'total', documentId, state: { fields: { total: '12.50' } } },
    errors: ['workflow.not_found', 'workflow.version_not_found', 'workflow.invalid', 'document.not_found'],
  },
  list_workflow_versions: { example: { workflowId }, errors: ['workflow.not_found', 'request.cursor_invalid'] },
  diff_workflow_versions: {
    example: { workflowId, from: 3, to: 'draft' },
    errors: ['workflow.not_found', 'workflow.version_not_found'],
  },
  create_workflow: {
    example: { preset: 'wf_document_intake', name: 'Invoices' },
    errors: ['workflow.invalid', 'workflow.not_found', 'workflow.version_not_found', 'project.not_found'],
  },
  update_workflow: {
    example: {
      workflowId,
      baseVersion: 4,
      operations: [{ op: 'set_config', nodeId: 'recognize', config: { language: 'deu' } }],
      note: 'German letters',
    },
    errors: [...draft, 'workflow.operation_refused'],
  },
  restore_workflow_version: {
    example: { workflowId, version: 2, baseVersion: 5 },
    errors: [...draft, 'workflow.version_not_found'],
  },
  publish_workflow: { example: { workflowId, baseVersion: 5 }, errors: [...draft, 'workflow.invalid'] },
  delete_workflow: {
    example: { workflowId },
    errors: ['workflow.not_found', 'workflow.read_only', 'workflow.bound'],
  },
  run_workflow: {
    example: { workflowId, documentIds: [documentId], waitSeconds: 25, idempotencyKey: 'march-batch-1' },
    errors: [
      'workflow.not_found',
      'workflow.version_not_found',
      'document.not_found',
      'project.not_found',
      'idempotency.key_reused',
    ],
  },
  get_run: {
    example: { executionIds: [executionId, 'exec_01ka'], differencesOnly: true },
    errors: ['execution.not_found', 'run.not_found', 'request.cursor_invalid'],
  },
  list_runs: {
    example: { status: ['waiting'] },
    errors: ['execution.not_found', 'request.cursor_invalid'],
  },
  cancel_run: { example: { executionId }, errors: ['execution.not_found', 'run.not_found'] },
  resume_run: { example: { runId, answer: 'yes' }, errors: ['run.not_found', 'run.not_waiting'] },
  replay_execution: {
    example: { executionId, only: 'failed' },
    errors: ['execution.not_found', 'workflow.not_found', 'document.not_found', 'idempotency.key_reused'],
  },
  list_documents: { example: { limit: 50 }, errors: ['request.cursor_invalid'] },
  search_documents: { example: { query: 'invoice "final notice" 2026-0042' }, errors: [] },
  find_similar_documents: {
    example: { documentId, by: 'picture' },
    errors: ['document.not_found', 'document.unread', 'project.not_found'],
  },
  get_document: { example: { documentId }, errors: ['document.not_found'] },
  read_document_text: { example: { documentId, offset: 8_000 }, errors: ['document.not_found'] },
  view_document_image: {
    example: { documentId, page: 0, region: { x: 0.5, y: 0.7, width: 0.4, height: 0.1 } },
    errors: ['document.not_found', 'image.undecodable', 'image.too_large'],
  },
  ask_documents: {
    example: { question: 'When is the electricity bill due?', documentIds: [documentId] },
    errors: ['document.not_found', 'project.not_found'],
  },
  upload_document: {
    example: { action: 'presign', contentType: 'image/png', size: 48_213 },
    errors: [
      'project.not_found',
      'upload.content_type',
      'upload.too_large',
      'upload.not_found',
      'upload.object_missing',
      'upload.mismatch',
      'image.undecodable',
      'image.too_large',
    ],
  },
  update_document: {
    example: { documentId, title: 'Electricity bill, May', tags: ['paid'] },
    errors: ['document.not_found'],
  },
  set_document_visibility: {
    example: { documentIds: [documentId], visibility: 'public' },
    errors: ['document.not_found'],
  },
  delete_document: { example: { documentId }, errors: ['document.not_found'] },
  query_records: {
    example: { recordType: 'invoice', filter: { total: { gt: 500 } }, groupBy: ['vendor'], aggregate: ['sum(total)'] },
    errors: ['record_type.not_found', 'project.not_found', 'request.cursor_invalid'],
  },
  correct_record: {
    example: { recordId: 'rec_01k9', set: { total: 29.41, 'items.0.description': 'Bread' } },
    errors: ['record.not_found', 'record.conflict'],
  },
  list_record_types: { example: {}, errors: ['project.not_found'] },
  save_record_type: {
    example: {
      name: 'delivery-note',
      fields: {
        number: { type: 'string', aliases: ['Delivery note no'], required: true },
        parcels: { type: 'integer' },
      },
    },
    errors: ['record_type.conflict', 'project.not_found'],
  },
  save_dataset: {
    example: { name: 'Receipts', items: [{ documentId, reference: { fields: { total: 29.41 } } }] },
    errors: [
      'dataset.not_found',
      'dataset.conflict',
      'dataset.split_conflict',
      'document.not_found',
      'project.not_found',
      'request.too_large',
    ],
  },
  get_dataset: { example: { datasetId }, errors: ['dataset.not_found', 'dataset.version_not_found'] },
  run_experiment: {
    example: { datasetId, variants: [{ workflowId }, { workflowId, version: 'draft' }], dryRun: true },
    errors: [...experiment, 'experiment.model_missing'],
  },
  get_experiment: {
    example: { experimentId: 'xp_01k9', view: 'regressions' },
    errors: ['experiment.not_found', 'experiment.holdout_hidden'],
  },
  improve_workflow: {
    example: {
      workflowId,
      datasetId,
      space: [{ path: '/nodes/recognize/config/pageSegmentationMode', values: [3, 6, 11] }],
    },
    errors: [...experiment, 'experiment.model_missing'],
  },
  cancel_experiment: { example: { experimentId: 'xp_01k9' }, errors: ['experiment.not_found'] },
  list_api_keys: { example: {}, errors: ['project.not_found'] },
  create_api_key: {
    example: { kind: 'service', name: 'Nightly export', scopes: ['workflows:read'], expiresInDays: 90 },
    errors: ['project.not_found', 'workflow.not_found'],
  },
  revoke_api_key: { example: { keyId: 'key_01k9' }, errors: ['key.not_found', 'key.spent'] },
};
