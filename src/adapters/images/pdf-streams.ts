import { constants, createInflate } from 'node:zlib';
import { InkgraphError } from '#src/domain/app-error.ts';

/** Largest size of a stream that is no picture, unpacked. The largest of 1,122 public PDFs has 13 MB (docs/decisions/0236). */
const mostUnpackedMiB = 64;
/** Deflate packs 1,032 bytes into one at best: what is shorter cannot unpack to too much. */
const mostRatio = 1_032;
/** Bytes before a stream in which its dictionary is looked for. */
const dictionaryBytes = 4_096;

/** A stream of the PDF unpacks to more than any real one. */
class StreamTooLongError extends InkgraphError {}

/**
 * Throws StreamTooLongError for a stream of drawing instructions, objects or fonts that unpacks to more than 64 MiB. pdfjs-dist unpacks such
 * streams whole, which takes seconds and all the memory of its process. Pictures have a limit of their own, in pixels; other filters, and
 * streams that call themselves pictures, are left to the limit of the process.
 */
export async function checkStreams(bytes: Uint8Array): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const shortest = (mostUnpackedMiB * 1_048_576) / mostRatio;
  let at = file.indexOf('stream');
  while (at !== -1) {
    const end = file.indexOf('endstream', at);
    const until = end === -1 ? file.length : end;
    if (until - at > shortest && isDeflated(file, at)) {
      const begin = at + 'stream'.length + (file[at + 'stream'.length] === 0x0d ? 2 : 1);
      if (await isTooLong(file.subarray(begin, until))) throw new StreamTooLongError('a stream of the PDF is too long');
    }
    at = end === -1 ? -1 : file.indexOf('stream', until + 'endstream'.length);
  }
}

function isDeflated(file: Buffer, at: number): boolean {
  const before = file.toString('latin1', Math.max(0, at - dictionaryBytes), at);
  const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
  return /\/(FlateDecode|Fl)\b/.test(dictionary) && !/\/Subtype\s*\/Image\b/.test(dictionary);
}

async function isTooLong(packed: Uint8Array): Promise<boolean> {
  const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
  inflate.end(packed);
  let size = 0;
  try {
    for await (const part of inflate as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > mostUnpackedMiB * 1_048_576) return true;
    }
  } catch {
    // Encrypted or damaged: pdfjs-dist tells what is wrong.
  }
  return false;
}
