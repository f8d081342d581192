import { proved } from './requirement.ts';

/** §4 in general and §4.1 Workflow-key ingestion. */
export const ingestion = [
  ...proved('4', {
    'flow.json': 'Bodies of requests and replies are JSON',
    'flow.json.only': ['A body of another media type is refused with 415', '0003-errors-are-problem-json'],
    'resource.ids.strings': ['Identifier fields are strings', '0004-ids-time-and-paging'],
  }),
  ...proved('4.1', {
    'ingest.presign': 'Presign with contentType and size answers an uploadUrl',
    'ingest.presign.content_type': [
      'Presign needs contentType, a media type it accepts',
      '0005-limits-and-accepted-types',
    ],
    'ingest.presign.size': ['Presign needs size, a whole number of bytes from 1 up', '0005-limits-and-accepted-types'],
    'ingest.presign.reply': [
      'Presign answers uploadUrl, method, headers, objectKey, expiresAt and maxBytes',
      '0006-presign-reply-and-lifetime',
    ],
    'ingest.put': 'PUT of the raw bytes to uploadUrl stores the object',
    'ingest.put.curl': ['A plain PUT with only a Content-Length works on uploadUrl', '0006-presign-reply-and-lifetime'],
    'ingest.ack': 'Ack with objectKey creates the document',
    'ingest.ack.object_key': [
      'The objectKey of a workflow-key upload has the shape uploads/.../<file>',
      '0006-presign-reply-and-lifetime',
    ],
    'ingest.ack.event': 'Ack emits the event document/process.upload',
    'ingest.ack.reply': [
      'The first ack answers 201 with the document, a repeated one 200 with the same body',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.once': [
      'Many acks of one object in parallel make one document and one event',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.mismatch': [
      'Ack of bytes that are not what was declared answers 422 and creates no document',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.pinned': [
      'Replaying the upload URL after ack does not change the acknowledged document',
      '0007-ack-checks-and-pins-the-object',
    ],
    'ingest.ack.foreign': ['Ack of an objectKey of another key answers 404', '0007-ack-checks-and-pins-the-object'],
  }),
];
