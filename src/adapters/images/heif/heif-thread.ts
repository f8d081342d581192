import { finishPixels, pictureOfPixels } from '#src/adapters/images/decode.ts';
import { decodeHeif } from '#src/adapters/images/heif/decode-heif.ts';
import { answerCalls } from '#src/adapters/threads/answer-calls.ts';
import type { PictureSize } from '#src/domain/ports/image-codec.ts';

export type HeifRequest =
  | { readonly action: 'page'; readonly bytes: Uint8Array }
  | { readonly action: 'picture'; readonly bytes: Uint8Array; readonly size: PictureSize };

/** Entry point of the thread that decodes HEIC. It encodes as well: the pixels stay here. */
answerCalls((request: HeifRequest) => {
  const pixels = decodeHeif(request.bytes);
  return request.action === 'page' ? finishPixels(pixels, 0) : pictureOfPixels(pixels, request.size);
});
