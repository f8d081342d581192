import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { AnyId, IdempotencyKey, Timestamp, Visibility, limits } from '#src/contracts/fields.ts';
import { documentTypes } from '#src/contracts/media-types.ts';

const contentType = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: `Media type of the file: ${documentTypes.join(', ')}`, examples: ['image/png'] });
const size = z.int().min(1).describe('Exact size of the file in bytes');

/** Accepted media types and the largest size are checked by the tool: they answer 415 and 413, not 400. */
export const PresignBody = z.strictObject({ contentType, size });
export const ServicePresignBody = z.strictObject({
  contentType,
  size,
  visibility: Visibility.describe('Fixed here, not at ack'),
});

export const DashboardPresignBody = z.strictObject({
  projectId: AnyId.describe('Where the document will belong'),
  contentType,
  size,
});

export const PresignReply = z
  .object({
    uploadUrl: z.string().describe('PUT the raw bytes here'),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Headers the PUT must carry'),
    objectKey: z.string().describe('Send this to ack'),
    expiresAt: Timestamp,
    maxBytes: z.int().describe('The declared size: the body must have exactly this length'),
  })
  .meta({ id: 'PresignedUpload' });

const objectKey = z
  .string()
  .min(1)
  .max(limits.objectKey)
  .regex(/^uploads(\/[A-Za-z0-9._-]+){4,9}$/, 'expected the objectKey that presign answered')
  .refine((key) => !key.includes('..'), 'expected the objectKey that presign answered');

export const AckBody = z.strictObject({ objectKey });
export const ServiceAckBody = z.strictObject({ objectKey, idempotencyKey: IdempotencyKey });
export const AckReply = z.object({ document: Document });
