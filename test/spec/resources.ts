import { proved } from './requirement.ts';

/** Resources and their fields. */
export const resources = [
  ...proved('Resources', {
    'dashboard.card.id': 'A document card has the identifier of its document in id',
    'dashboard.card.object_key': 'A document card has the storage key of the object in objectKey',
    'dashboard.card.content_type': 'A document card has the media type in contentType',
    'dashboard.card.size': 'A document card has the size in bytes, an integer, in sizeBytes',
    'dashboard.card.created_at': 'A document card has a timestamp in createdAt',
    'dashboard.card.description': 'A document card has the generated description text in description',
    'dashboard.card.thumbnail': 'A document card has the URL of a thumbnail in thumbnailUrl',
    'dashboard.card.distance': [
      'A document card has the embedding distance in distance, or null if no embedding took part',
      '0016-search-ranking-and-organization',
    ],
    'dashboard.list.shape': 'The document list is an object with documents and nextCursor',
  }),
  ...proved('Resources', {
    'resource.document.id': 'A service document has an identifier in id',
    'resource.document.object_key': 'A service document has the storage key of its object in objectKey',
    'resource.document.content_type': 'A service document has the media type of its bytes in contentType',
    'resource.document.size': 'A service document has the size of its bytes, an integer, in sizeBytes',
    'resource.document.created_at': ['A service document has a timestamp in createdAt', '0004-ids-time-and-paging'],
    'resource.document.description':
      'A service document has its generated description in description as soon as one exists',
    'links.web': [
      'Documents, search hits, records, runs, executions, workflows and experiments, also in lists, have in links.web the address of their page for people; without a dashboard they have none',
      '0188-answers-link-to-pages-for-people',
    ],
    'resource.document.thumbnail': [
      'A service document has in thumbnailUrl the URL of a re-encoded thumbnail',
      '0008-document-and-ocr-result-fields',
    ],
    'resource.document.visibility': 'A service document has its visibility, private or public',
    'resource.document.reading': [
      'A document that a run reads has in reading the run, the pages that it has read so far, and all pages; a document that no run reads has none',
      '0231-pages-can-be-read-before-the-last-one',
    ],
    'resource.ocr.pages_kept': [
      'A new run over a document whose run failed takes the pages that were read in the same way, and goes on after the last one',
      '0231-pages-can-be-read-before-the-last-one',
    ],
    'resource.ocr.id': 'An OCR result has an identifier in ocrResultId',
    'resource.ocr.created_at': 'An OCR result has a timestamp in ocrCreatedAt',
    'resource.ocr.model_label': [
      'An OCR result names in modelLabel the engine that recognized it',
      '0020-text-recognition-in-tesseract-js',
    ],
    'resource.ocr.text': 'An OCR result has the recognized text in text',
    'resource.ocr.confidence': 'An OCR result has the average confidence in avgConfidence',
    'resource.ocr.result': [
      'An OCR result has engine, language, pages with lines, words and boxes, and attempts in result',
      '0008-document-and-ocr-result-fields',
    ],
    'resource.ocr.warnings': [
      'Parts of a page that could not be read are warnings of the OCR result, the document, its card and its text; with nothing read, the run fails',
      '0134-losses-are-told',
    ],
    'resource.ocr.text_layer': [
      'Pages of a PDF that states its text have source text-layer and that text; other pages are recognized and have source ocr',
      '0135-text-layers',
    ],
    'resource.workflow.id': 'A workflow is identified by its agentGraphId, which requests call workflowId',
    'resource.workflow.name': 'A workflow has a name',
    'resource.workflow.fields': [
      'A listed workflow has workflowId, slug, name, description, publishedVersion, updatedAt and the name of its tool',
      '0010-executions-runs-and-states',
    ],
    'resource.execution.id': 'A workflow execution has an id to read it by',
    'resource.execution.fields': [
      'A workflow execution has workflow, version, graphHash, status, counts, runs and times',
      '0010-executions-runs-and-states',
    ],
    'resource.execution.degraded': [
      'A document whose description or embedding failed is found by its text; run and document name the failed nodes until a retry succeeds',
      '0134-losses-are-told',
    ],
    'resource.visibility.values': 'Document visibility is either private or public',
    'resource.key.scope': 'An API key reaches only the organization and project it was issued for',
    'resource.key.scopes': [
      'The scopes of a key are all that it can do, and every reply about it names them',
      '0281-scopes-of-a-key-are-all-it-has',
    ],
    'resource.key.device': ['An API key may carry the device it was issued for', '0017-api-keys'],
    'resource.key.binding': 'A workflow key carries a direct binding to an agentGraphId',
    'resource.key.hash': 'API keys are stored as SHA-256 hashes only',
    'resource.key.fields': ['A listed API key shows its prefix and scope and never its secret', '0017-api-keys'],
    'resource.run.created': 'A workflow execution creates its runs',
    'resource.run.fields': [
      'A run has its document, workflow version, steps, status, times and, if it failed, the error',
      '0010-executions-runs-and-states',
    ],
  }),
  ...proved('Resources', {
    'resource.segmentation.id': 'A segmentation result has an identifier in segmentationId',
    'resource.segmentation.model_label': 'A segmentation result names in modelLabel the model used',
    'resource.segmentation.prompt': 'A segmentation result has the prompt used in prompt',
    'resource.segmentation.derived_fields': 'The nested derived document has the fields of a document',
  }),
  ...proved('Resources', {
    'resource.segmentation.created_at': 'A segmentation result has a timestamp in segmentationCreatedAt',
    'resource.segmentation.derived':
      'A segmentation result nests the derived document when a segmented image was stored',
    'resource.workflow.queue_name': 'The name of a workflow is called workflowName in the queue response',
    'resource.organization.fields': 'Organization and project have an id and a name',
  }),
];
