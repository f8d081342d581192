import { proved } from './requirement.ts';

/** Requests and responses in general, and uploads with a workflow key. */
export const ingestion = [
  ...proved('Requests and responses', {
    'flow.json': 'Request and response bodies are JSON',
    'flow.json.only': ['A request body of another media type returns 415', '0003-errors-are-problem-json'],
    'resource.ids.strings': ['Identifier fields are strings', '0004-ids-time-and-paging'],
  }),
  ...proved('Workflow-key uploads', {
    'ingest.presign': 'Presign with contentType and size returns an uploadUrl',
    'ingest.presign.content_type': [
      'Presign requires contentType, one of the accepted media types',
      '0005-limits-and-accepted-types',
    ],
    'ingest.heic': [
      'A HEIC is accepted as image/heic or image/heif, and its text is read; its thumbnail and its page are shown like those of other pictures',
      '0216-heic-by-an-optional-package',
    ],
    'ingest.heic.refused': [
      'Without the optional package, HEIC is refused by its name, with the package to install; context and health tell the accepted types',
      '0216-heic-by-an-optional-package',
    ],
    'ingest.presign.size': [
      'Presign requires size, a whole number of bytes of at least 1',
      '0005-limits-and-accepted-types',
    ],
    'ingest.presign.reply': [
      'Presign returns uploadUrl, method, headers, objectKey, expiresAt and maxBytes',
      '0006-presign-reply-and-lifetime',
    ],
    'ingest.put': 'PUT of the raw bytes to uploadUrl stores the object',
    'ingest.put.curl': ['A plain PUT with only a Content-Length works on uploadUrl', '0006-presign-reply-and-lifetime'],
    'ingest.ack': 'Ack with objectKey creates the document',
    'ingest.ack.object_key': [
      'The objectKey of a workflow-key upload has the shape uploads/.../<file>',
      '0006-presign-reply-and-lifetime',
    ],
    'ingest.ack.event': 'Ack emits a document/process.upload event',
    'ingest.ack.reply': [
      'The first ack returns 201 with the document, a repeated ack returns 200 with the same body',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.callback': [
      'A workflow key can have a callbackUrl, which receives a signed POST when the run of an upload has ended; rotation keeps it',
      '0189-callbacks-of-keys',
    ],
    'ingest.languages': [
      'Presign takes languages, 1 to 4 that are installed; the document has them, and its runs read it in them',
      '0214-languages-by-document',
    ],
    'ingest.languages.key': [
      'An API key can have languages for uploads that name none; rotation keeps them',
      '0214-languages-by-document',
    ],
    'ocr.languages.order': [
      'Languages of a document count before the param language of the ocr node, and that before OCR_LANGUAGE; overridesDocument puts the param first',
      '0214-languages-by-document',
    ],
    'ocr.languages.detected': [
      'With OCR_LANGUAGE=auto a document without languages is read in the installed language that is found in its text, and the result says so',
      '0215-detected-languages',
    ],
    'ingest.ack.execution': [
      'Ack names the execution that the upload starts, with status queued and the address of its results',
      '0159-uploads-are-followed-by-their-key',
    ],
    'ingest.upload': [
      'A workflow key reads the status and the outputs of what it uploaded, and waits for the end with wait',
      '0159-uploads-are-followed-by-their-key',
    ],
    'ingest.upload.own': [
      'A workflow key reads no document of another key, project or organization, no deleted one, and none that a run derived: all return 404',
      '0159-uploads-are-followed-by-their-key',
    ],
    'ingest.ack.once': [
      'Parallel acks of one object create one document and one event',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.mismatch': [
      'Ack of bytes that differ from the declaration returns 422 and creates no document',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.pinned': [
      'Replaying the upload URL after ack does not change the acknowledged document',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.foreign': ['Ack of an objectKey of another key returns 404', '0007-ack-checks-and-pins-the-object'],
  }),
];
