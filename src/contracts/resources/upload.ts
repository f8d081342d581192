import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { Execution, RunSummary } from '#src/contracts/resources/execution.ts';
import { executionStatuses } from '#src/contracts/lists/run-status.ts';
import {
  AnyId,
  IdempotencyKey,
  Languages,
  QueryInteger,
  Timestamp,
  Visibility,
  limits,
} from '#src/contracts/fields.ts';
import { documentTypes } from '#src/contracts/media-types.ts';

const contentType = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: `Media type of the file: ${documentTypes.join(', ')}`, examples: ['image/png'] });
const size = z.int().min(1).max(Number.MAX_SAFE_INTEGER).describe('Exact size of the file in bytes');

/** The use case checks media type and size limit, since they answer 415 and 413 instead of 400. */
const contentMd5 = z
  .string()
  .regex(/^[A-Za-z0-9+/]{21}[AQgw]==$/, 'expected the MD5 digest in base64: 24 characters')
  .optional()
  .describe('MD5 digest of the file in base64. The store then refuses a body with another digest');
const filename = z
  .string()
  .min(1)
  .max(limits.filename)
  .optional()
  .describe('Name of the file, for people and for search; folders and control characters are left out');
const languages = Languages.optional().describe(
  'Languages of the text, the main one first; default: those of the key, or else of the workflow',
);
export const PresignBody = z.strictObject({ contentType, size, contentMd5, filename, languages });
export const ServicePresignBody = z.strictObject({
  contentType,
  size,
  contentMd5,
  filename,
  languages,
  visibility: Visibility.describe('Set here; ack does not take it'),
});

export const DashboardPresignBody = z.strictObject({
  projectId: AnyId.describe('Project of the document'),
  contentType,
  size,
  contentMd5,
  filename,
  languages,
});

export const PresignReply = z
  .object({
    uploadUrl: z.string().describe('URL to PUT the raw bytes to'),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Headers to send with the PUT'),
    objectKey: z.string().describe('Send this to ack'),
    expiresAt: Timestamp,
    maxBytes: z.int().describe('The declared size; the body must have exactly this length'),
  })
  .meta({ id: 'PresignedUpload' });

const objectKey = z
  .string()
  .min(1)
  .max(limits.objectKey)
  .regex(/^uploads(\/[A-Za-z0-9._-]+){4,9}$/, 'expected the objectKey of a presign reply')
  .refine((key) => !key.includes('..'), 'expected the objectKey of a presign reply');

export const AckBody = z.strictObject({ objectKey });
export const ServiceAckBody = z.strictObject({ objectKey, idempotencyKey: IdempotencyKey });

/** The run that an upload with a workflow key starts. `status` is that of the request. Source: `ingest.ack.execution`. */
const StartedExecution = z.object({
  id: z.string().describe('Execution over this document'),
  status: z.literal('queued').describe('Status of this request; links.self has that of the execution'),
  links: z.object({ self: z.string().describe('GET it for status and outputs, with the same key') }),
});
export const AckReply = z.object({
  document: Document,
  execution: StartedExecution.optional().describe('Workflow keys: the execution that the upload starts'),
});

/** Path at which a workflow key reads what it uploaded. */
export const uploadAddress = (documentId: string): string => `/api/uploads/${documentId}`;
export const UploadQuery = z.strictObject({
  wait: QueryInteger(0, limits.waitSecondsMax)
    .default(0)
    .describe('Seconds to wait for the end of the execution, 0..30'),
});
const UploadRun = RunSummary.extend({
  outputs: z.record(z.string(), z.unknown()).nullable().describe('Outputs by name; null until the run has ended'),
});
/** State of an upload, for the workflow key that made it. Source: `ingest.upload`, docs/decisions/0159. */
export const Upload = z
  .object({
    documentId: z.string(),
    status: z
      .enum(executionStatuses)
      .nullable()
      .describe('Status of the execution; null: it is gone, or the upload started none'),
    execution: Execution.omit({ runs: true, links: true }).nullable().describe('null until a worker stores it'),
    runs: z.array(UploadRun).describe('Runs of the execution, with their outputs'),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Upload' });
