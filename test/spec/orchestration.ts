import { proved } from './requirement.ts';

/** The service API. */
export const orchestration = [
  ...proved('Service API', {
    'service.workflows': 'Lists the workflows available to the key',
    'service.workflows.reply': [
      "The response has the published workflows of the key's project in workflows",
      '0010-executions-runs-and-states',
    ],
    'service.presign': 'Presign with contentType, size and visibility returns upload URL data',
    'service.presign.content_type': 'Service presign requires contentType, a string',
    'service.presign.size': 'Service presign requires size, an integer',
    'service.presign.visibility': 'Service presign requires visibility, private or public',
    'service.presign.reply': [
      'Service presign returns the same fields as workflow-key presign',
      '0006-presign-reply-and-lifetime',
    ],
    'service.ack': 'Service ack with objectKey and idempotencyKey materializes the document',
    'service.ack.object_key': 'The objectKey of a service upload has the shape uploads/.../service-api/.../<file>',
    'service.ack.idempotency_key': ['Service ack requires idempotencyKey, a string', '0012-idempotency'],
    'service.ack.no_visibility': 'Service ack rejects visibility, which is declared at presign',
    'service.ack.reply': ['Service ack returns 201 with the document', '0007-ack-checks-and-pins-the-object'],
    'service.executions.create': 'Starts a workflow over documents and returns execution data',
    'service.executions.reply': [
      'Starting an execution returns 202 with its address in Location',
      '0010-executions-runs-and-states',
    ],
    'service.executions.workflow_id': 'An execution requires workflowId, the agentGraphId of the workflow to run',
    'service.executions.document_ids': 'documentIds selects documents by id, with one run for each',
    'service.executions.scope': 'scope selects documents instead of documentIds',
    'service.executions.scope.key_bound': 'scope.apiKeyBound: true selects the documents that this key uploaded',
    'service.executions.one_of': 'Exactly one of documentIds and scope is required',
    'service.executions.key_optional':
      'An execution without idempotencyKey is accepted, and a retry starts another execution',
    'service.executions.initial_state': 'initialState passes free-form keys and values to the workflow',
    'service.executions.initial_state.misspelt': [
      'A key of initialState that is almost a channel of the workflow returns 400 and names the channel; other keys are free-form',
      '0023-initial-state',
    ],
    'service.executions.initial_state.optional': 'initialState is optional',
    'service.executions.get': 'Reads the status of an execution by its id',
    'service.executions.wait': [
      'Reading an execution with wait returns when the execution changes or the time is up',
      '0010-executions-runs-and-states',
    ],
    'service.documents.list': 'Lists documents',
    'service.documents.reply': [
      'The list is an object with documents and nextCursor, newest first',
      '0004-ids-time-and-paging',
    ],
    'service.documents.limit': 'limit, an integer, is the page size of the document list',
    'service.documents.cursor': [
      'Following nextCursor reaches the end of the list without gaps or repeats',
      '0004-ids-time-and-paging',
    ],
    'service.documents.key_bound': 'apiKeyBound=true lists only documents that this key uploaded',
    'service.documents.project': [
      "Without apiKeyBound the list has the documents of the key's project",
      '0008-document-and-ocr-result-fields',
    ],
    'service.documents.get': 'Reads one document by its id',
    'service.documents.get_reply': [
      'The response is the document itself, with its sha256, dimensions and latest OCR summary',
      '0008-document-and-ocr-result-fields',
    ],
    'service.documents.results': [
      'A service key reads OCR results, single pages with words and boxes, segmentations, and signed URLs of pages and of the uploaded bytes',
      '0158-results-names-and-slugs',
    ],
    'service.documents.page': [
      'One page of a document has its lines, words and boxes and the URL of its image; a page that it lacks returns 400, a document without text 409',
      '0158-results-names-and-slugs',
    ],
    'service.documents.unfinished': [
      'Pages that a run has read can be read before the last one, marked as unfinished; a finished text stays the answer until the next one is finished',
      '0231-pages-can-be-read-before-the-last-one',
    ],
    'service.documents.update': [
      'PATCH changes file name, title and tags of a document; search finds the new names, also after a run that indexes it again',
      '0158-results-names-and-slugs',
    ],
    'service.documents.languages': [
      'PATCH changes the languages of a document, and the next run reads it in them',
      '0214-languages-by-document',
    ],
    'service.documents.tag': [
      'Lists and exports with tag have the documents with that tag only',
      '0158-results-names-and-slugs',
    ],
    'service.documents.delete': [
      'DELETE removes a document of the project with its results; a repeated call returns 404',
      '0158-results-names-and-slugs',
    ],
    'service.search': [
      'Search returns matching documents with their passages, best first',
      '0158-results-names-and-slugs',
    ],
    'service.ask': [
      'A question is answered from the text of documents, with cited sources',
      '0158-results-names-and-slugs',
    ],
    'service.documents.export': [
      'An export streams the documents of a filter as JSON Lines, CSV or a zip with metadata, Markdown and, with files, the uploaded bytes',
      '0160-exports',
    ],
    'service.workflows.slug': [
      'The slug of a workflow in code is listed, and stands for its id wherever a workflowId is taken',
      '0158-results-names-and-slugs',
    ],
    'service.visibility': 'Sets the visibility of documents and returns the updated visibility',
    'service.visibility.document_ids': 'The visibility endpoint takes documentIds, an array of strings',
    'service.visibility.value': 'The visibility endpoint takes visibility, private or public',
    'service.visibility.all_or_none': [
      'One unknown id among documentIds returns 404 and changes nothing',
      '0009-visibility',
    ],
    'service.visibility.public': [
      'A public document is readable by every project of its organization, a private one only by its own',
      '0009-visibility',
    ],
    'service.openapi': 'openapi.json is a machine-readable description of the service API',
    'service.openapi.public': ['openapi.json needs no credential', '0015-openapi-and-versioning'],
    'service.idempotency.scope_key': 'An idempotencyKey applies only to the service key that sent it',
    'service.idempotency.scope_endpoint': 'An idempotencyKey applies only to the endpoint that received it',
    'service.idempotency.replay': 'An identical retry returns the original response',
    'service.idempotency.reused': 'Reusing an idempotencyKey with different input returns 409',
    'service.idempotency.ack': [
      'On service ack idempotencyKey has the same semantics as on executions',
      '0012-idempotency',
    ],
    'service.idempotency.parallel': [
      'Identical parallel requests start one execution and get the same response',
      '0012-idempotency',
    ],
    'service.idempotency.failures': [
      'A request that fails validation does not consume its idempotencyKey',
      '0012-idempotency',
    ],
    'service.idempotency.header': [
      'The Idempotency-Key header is an alternative to idempotencyKey in the body',
      '0012-idempotency',
    ],
  }),
];
