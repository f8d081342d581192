import { createRequire } from 'node:module';
import { InkgraphError } from '#src/domain/app-error.ts';
import { checkSize } from '#src/adapters/images/containers/limits.ts';
import { heicModule } from '#src/adapters/images/heif/package.ts';

/** Pixels of the picture to show, upright: `channels` bytes a pixel. */
export interface HeifPixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly pixels: Uint8Array;
}

interface Failure {
  readonly code: { readonly value: number };
}

interface Handle {
  readonly code?: undefined;
}

type Freed = 'heif_context_free' | 'heif_image_handle_release' | 'heif_image_release';

interface Decoded {
  readonly code?: undefined;
  readonly image: object;
  readonly channels: readonly {
    readonly width: number;
    readonly height: number;
    /** Bytes of a row, which can be longer than its pixels. */
    readonly stride: number;
    readonly data: Uint8Array;
  }[];
}

/** The part of libheif that is in use. */
interface Libheif extends Readonly<Record<Freed, (memory: object) => void>> {
  readonly heif_colorspace: Readonly<Record<'heif_colorspace_RGB', unknown>>;
  readonly heif_chroma: Readonly<Record<'heif_chroma_interleaved_RGB' | 'heif_chroma_interleaved_RGBA', unknown>>;
  heif_context_alloc(): object;
  heif_context_read_from_memory(context: object, bytes: Uint8Array): Failure;
  heif_js_context_get_primary_image_handle(context: object): Handle | Failure;
  heif_image_handle_get_width(handle: Handle): number;
  heif_image_handle_get_height(handle: Handle): number;
  heif_image_handle_has_alpha_channel(handle: Handle): number;
  heif_js_decode_image2(handle: Handle, colours: unknown, chroma: unknown): Decoded | Failure;
}

class HeifError extends InkgraphError {}

/**
 * Decodes the picture to show of a HEIC, with its rotation. Throws AppError `image.too_large`, and others of libheif and of WebAssembly:
 * after one of them this thread is to end. Source: docs/decisions/0216.
 */
export function decodeHeif(bytes: Uint8Array): HeifPixels {
  const library = createRequire(import.meta.url)(heicModule) as Libheif;
  const context = library.heif_context_alloc();
  const { code } = library.heif_context_read_from_memory(context, bytes);
  if (code.value !== 0) throw new HeifError(`libheif read the file with code ${code.value}`);
  const handle = orError(library.heif_js_context_get_primary_image_handle(context));
  const pixels = pixelsOf(library, handle);
  library.heif_image_handle_release(handle);
  library.heif_context_free(context);
  return pixels;
}

function pixelsOf(library: Libheif, handle: Handle): HeifPixels {
  checkSize(library.heif_image_handle_get_width(handle), library.heif_image_handle_get_height(handle));
  const hasAlpha = library.heif_image_handle_has_alpha_channel(handle) !== 0;
  const { heif_colorspace: colours, heif_chroma: chroma } = library;
  const form = hasAlpha ? chroma.heif_chroma_interleaved_RGBA : chroma.heif_chroma_interleaved_RGB;
  const decoded = orError(library.heif_js_decode_image2(handle, colours.heif_colorspace_RGB, form));
  const [plane] = decoded.channels;
  if (plane === undefined) throw new HeifError('libheif gave no pixels');
  const { width, height, stride, data } = plane;
  checkSize(width, height);
  const channels = hasAlpha ? 4 : 3;
  const pixels = copyRows(data, stride, width * channels, height);
  library.heif_image_release(decoded.image);
  return { width, height, channels, pixels };
}

function orError<Result extends Handle>(result: Result | Failure): Result {
  if (result.code !== undefined) throw new HeifError(`libheif failed with code ${result.code.value}`);
  return result;
}

/** Copies the pixels out of the memory of WebAssembly. */
function copyRows(data: Uint8Array, stride: number, rowBytes: number, height: number): Uint8Array {
  const pixels = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row += 1)
    pixels.set(data.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
  return pixels;
}
