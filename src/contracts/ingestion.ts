import { route } from '#src/contracts/route.ts';
import { AckBody, AckReply, PresignBody, PresignReply } from '#src/contracts/resources/upload.ts';

/** Workflow-key ingestion. Source: specification §4.1. */
export const ingestion = {
  presign: route({
    id: 'ingest.presign',
    method: 'POST',
    path: '/api/uploads/presign',
    caller: 'workflow-key',
    summary: 'Get an address to upload one file to',
    body: PresignBody,
    reply: PresignReply,
    status: 200,
    faults: ['upload.too_large', 'upload.content_type'],
  }),
  ack: route({
    id: 'ingest.ack',
    method: 'POST',
    path: '/api/uploads/ack',
    caller: 'workflow-key',
    summary: 'Create the document of an uploaded file and start the workflow bound to the key',
    body: AckBody,
    reply: AckReply,
    status: 201,
    also: { 200: 'The document existed already: this upload was acknowledged before' },
    faults: ['upload.not_found', 'upload.object_missing', 'upload.mismatch', 'image.undecodable', 'image.too_large'],
  }),
};
