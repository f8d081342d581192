import { AppError } from '#src/domain/app-error.ts';

/** Types that browsers display as images and never execute. */
const inlineTypes: readonly string[] = ['image/webp', 'image/png', 'image/jpeg'];
const mediaType = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(?:; ?[a-z0-9-]+=[a-z0-9.-]+)?$/i;

export function invalidField(pointer: string, message: string): AppError {
  return new AppError('request.invalid', message, { errors: [{ pointer, code: 'invalid', message }] });
}

export function assertContentType(contentType: string): void {
  if (contentType.length > 127 || !mediaType.test(contentType))
    throw invalidField('/contentType', 'contentType must be a media type such as image/png.');
}

export function assertLength(contentLength: number, maxBytes: number): void {
  if (!Number.isSafeInteger(contentLength) || contentLength < 0)
    throw invalidField('/contentLength', 'contentLength must be a whole number of bytes.');
  if (contentLength > maxBytes) throw new AppError('upload.too_large', `An object may have at most ${maxBytes} bytes.`);
}

export function assertInlineType(inlineType: string | undefined): void {
  if (inlineType !== undefined && !inlineTypes.includes(inlineType))
    throw invalidField(
      '/inlineType',
      `inlineType must be one of ${inlineTypes.join(', ')}; anything else is an attachment.`,
    );
}
