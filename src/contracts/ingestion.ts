import { DocumentPath } from '#src/contracts/resources/document.ts';
import { route } from '#src/contracts/route.ts';
import { AckBody, AckReply, PresignBody, PresignReply, Upload, UploadQuery } from '#src/contracts/resources/upload.ts';

/** Uploads with a workflow key. Source: `ingest.presign`, `ingest.ack`. */
export const ingestion = {
  presign: route({
    id: 'ingest.presign',
    method: 'POST',
    path: '/api/uploads/presign',
    caller: 'workflow-key',
    summary: 'Get a signed URL to upload one file',
    body: PresignBody,
    reply: PresignReply,
    status: 200,
    errors: ['upload.too_large', 'upload.content_type', 'quota.exceeded', 'storage.full'],
  }),
  ack: route({
    id: 'ingest.ack',
    method: 'POST',
    path: '/api/uploads/ack',
    caller: 'workflow-key',
    summary: 'Create a document from an uploaded file and start the workflow bound to the key',
    body: AckBody,
    reply: AckReply,
    status: 201,
    also: { 200: 'The upload was acknowledged before: the existing document' },
    errors: ['upload.not_found', 'upload.object_missing', 'upload.mismatch', 'image.undecodable', 'image.too_large'],
  }),
  upload: route({
    id: 'ingest.upload',
    method: 'GET',
    path: '/api/uploads/:id',
    caller: 'workflow-key',
    summary: 'Get the status and the outputs of an upload of this key; with wait, reply when its runs have ended',
    params: DocumentPath,
    query: UploadQuery,
    reply: Upload,
    status: 200,
    errors: ['document.not_found'],
  }),
};
