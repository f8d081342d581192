/**
 * Words for a parameter of one tool, in place of those of its contract, which REST and the reference show: the list of tools has less room.
 * Source: docs/decisions/0192.
 */
export const wordsOfTools: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  create_api_key: { workflowId: 'Of a workflow key' },
  correct_record: { revision: 'Refuse another one' },
  get_run: {
    executionIds: 'Results to put side by side',
    include: 'Of one run; receiptCheck verifies the receipt',
  },
  get_workflow: { version: 'Default: the draft, or of code the published one' },
  improve_workflow: {
    budget: 'As in run_experiment',
    claims: 'As in run_experiment',
    evaluators: 'As in run_experiment',
    trials: 'As in run_experiment',
  },
  list_documents: {
    facets: 'Counts to add',
    sort: 'Default: created',
    total: 'Adds the number of matches',
  },
  list_workflows: { name: 'Part of the name' },
  query_records: {
    documentId: 'Only of this document',
    sort: 'Field, with - for descending',
  },
  read_document_text: { pages: 'From 0' },
  replay_execution: { version: 'same: the one that ran; published: the newest' },
  restore_workflow_version: { baseVersion: 'Revision that you read' },
  publish_workflow: { baseVersion: 'Revision that you read' },
  resume_run: { answers: 'Of many runs instead: [{answer: any JSON, runId, path?}]' },
  run_workflow: {
    initialState: 'Channels at the start; at most 64 KiB',
    version: 'Default: the newest; draft: documents and search do not change',
    workflowId: 'wf_...',
  },
  save_dataset: {
    baseVersion: 'Version that you read; required with datasetId',
    datasetId: 'Default: a new dataset',
  },
  save_record_type: { baseVersion: 'Version that you read, if the type exists; 0: a preset that nobody saved' },
  update_workflow: { baseVersion: 'Revision that you read' },
};
