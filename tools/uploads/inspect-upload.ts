import type { UploadRecord } from '#src/domain/documents/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ImageFacts } from '#src/domain/ports/image-codec.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';
import type { ToolDeps } from '#tools/deps.ts';

const mismatch = (what: string): AppError =>
  new AppError(
    'upload.mismatch',
    `${what}. Presign again with the file's real size and type, then upload it to the new URL.`,
    {
      errors: [{ pointer: '/objectKey', code: 'mismatch', message: what }],
    },
  );

/**
 * Checks the stored bytes against the presign call. Errors: `upload.object_missing`; `upload.mismatch` for another size or type;
 * `image.undecodable` and `image.too_large`.
 */
export async function inspectUpload(
  { objects, images }: Pick<ToolDeps, 'objects' | 'images'>,
  upload: UploadRecord,
): Promise<{ head: ObjectHead; facts: ImageFacts }> {
  const head = await objects.head(upload._id);
  if (head === null)
    throw new AppError(
      'upload.object_missing',
      'Nothing was uploaded to this objectKey yet. PUT the bytes to uploadUrl first.',
      {
        retryAfterSeconds: 1,
      },
    );
  if (head.sizeBytes !== upload.sizeBytes)
    throw mismatch(`size was declared as ${upload.sizeBytes} bytes, ${head.sizeBytes} are stored`);
  const bytes = await objects.get(upload._id, { ifMatch: head.etag });
  if (bytes === null)
    throw new AppError('upload.object_missing', 'The stored object changed while it was read. Acknowledge again.');
  const type = images.sniff(bytes.subarray(0, 64));
  if (type !== upload.contentType)
    throw mismatch(`contentType was declared as ${upload.contentType}, the bytes are ${type ?? 'of no accepted type'}`);
  return { head, facts: await images.inspect(bytes) };
}
