import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { AnyId, IdempotencyKey, Timestamp, Visibility, limits } from '#src/contracts/fields.ts';
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
export const PresignBody = z.strictObject({ contentType, size, contentMd5, filename });
export const ServicePresignBody = z.strictObject({
  contentType,
  size,
  contentMd5,
  filename,
  visibility: Visibility.describe('Set here; ack does not take it'),
});

export const DashboardPresignBody = z.strictObject({
  projectId: AnyId.describe('Project of the document'),
  contentType,
  size,
  contentMd5,
  filename,
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
export const AckReply = z.object({ document: Document });
