/** A decoded picture as pdfjs-dist hands it from its worker to the canvas. Without `kind` it is a mask of one bit a pixel. */
export interface PdfPicture {
  width: number;
  height: number;
  kind?: number;
  data?: Uint8Array | Uint8ClampedArray;
}

/** `ImageKind` of pdfjs-dist. */
const kinds = { bits: 1, rgb: 2, rgba: 3 } as const;

/** True for a picture, not for other objects of a page such as patterns. */
export function isPicture(value: unknown): value is PdfPicture {
  return typeof value === 'object' && value !== null && 'width' in value && 'data' in value;
}

/** True if the stream of the picture ended before its last row. */
export function isCutOff({ width, height, kind, data }: PdfPicture): boolean {
  const channels = channelsOf(kind);
  const rowBytes = channels === null ? (width + 7) >> 3 : width * channels;
  return data !== undefined && data.length < rowBytes * height;
}

/**
 * Makes a picture of more than `mostPixels` smaller, in place: the mean of squares of pixels, for a mask the majority. The canvas would
 * need four bytes for each pixel of a picture that has one bit. `drawnPixels`: size of the whole page, which the picture need not exceed.
 */
export function shrinkPicture(picture: PdfPicture, mostPixels: number, drawnPixels: number): void {
  const { width, height, kind, data } = picture;
  if (data === undefined || width * height <= mostPixels) return;
  const area = width * height;
  const side = Math.max(2, Math.ceil(Math.sqrt(area / mostPixels)), Math.floor(Math.sqrt(area / drawnPixels)));
  const [wide, high] = [Math.ceil(width / side), Math.ceil(height / side)];
  const channels = channelsOf(kind);
  const means = channels === null ? meansOfBits(picture, side) : meansOfBytes(picture, side, channels);
  Object.assign(picture, { width: wide, height: high });
  if (kind === undefined) picture.data = maskOf(means, wide, high);
  else if (channels === null) Object.assign(picture, { kind: kinds.rgb, data: grayAsRgb(means) });
  else picture.data = means;
}

function channelsOf(kind: number | undefined): number | null {
  if (kind === kinds.rgb) return 3;
  return kind === kinds.rgba ? 4 : null;
}

/** Mean of each square, 0..255. Rows after the end of the data are white. */
function meansOfBits({ width, height, data = new Uint8Array() }: PdfPicture, side: number): Uint8ClampedArray {
  const [wide, high, rowBytes] = [Math.ceil(width / side), Math.ceil(height / side), (width + 7) >> 3];
  const means = new Uint8ClampedArray(wide * high);
  const sums = new Uint32Array(wide);
  for (let row = 0; row < high; row += 1) {
    sums.fill(0);
    const last = Math.min(height, (row + 1) * side);
    for (let y = row * side; y < last; y += 1) addBits(sums, data, { from: y * rowBytes, width, side });
    const rows = last - row * side;
    for (let x = 0; x < wide; x += 1)
      means[row * wide + x] = ((sums[x] ?? 0) * 255) / (rows * (Math.min(width, (x + 1) * side) - x * side));
  }
  return means;
}

function addBits(
  sums: Uint32Array,
  data: ArrayLike<number>,
  { from, width, side }: { from: number; width: number; side: number },
): void {
  let [column, left] = [0, side];
  for (let x = 0; x < width; x += 1) {
    const bit = ((data[from + (x >> 3)] ?? 255) >> (7 - (x & 7))) & 1;
    if (bit === 1) sums[column] = (sums[column] ?? 0) + 1;
    left -= 1;
    if (left > 0) continue;
    column += 1;
    left = side;
  }
}

function meansOfBytes(
  { width, height, data = new Uint8Array() }: PdfPicture,
  side: number,
  channels: number,
): Uint8ClampedArray {
  const [wide, high] = [Math.ceil(width / side), Math.ceil(height / side)];
  const means = new Uint8ClampedArray(wide * high * channels);
  const sums = new Float64Array(wide * channels);
  for (let row = 0; row < high; row += 1) {
    sums.fill(0);
    const last = Math.min(height, (row + 1) * side);
    for (let y = row * side; y < last; y += 1) {
      for (let x = 0, at = y * width * channels; x < width; x += 1) {
        const column = Math.floor(x / side) * channels;
        for (let channel = 0; channel < channels; channel += 1, at += 1)
          sums[column + channel] = (sums[column + channel] ?? 0) + (data[at] ?? 255);
      }
    }
    const rows = last - row * side;
    for (let at = 0; at < sums.length; at += 1) {
      const column = Math.floor(at / channels);
      means[row * sums.length + at] = (sums[at] ?? 0) / (rows * (Math.min(width, (column + 1) * side) - column * side));
    }
  }
  return means;
}

function grayAsRgb(gray: Uint8ClampedArray): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(gray.length * 3);
  for (let at = 0; at < gray.length; at += 1) pixels.fill(gray[at] ?? 255, at * 3, at * 3 + 3);
  return pixels;
}

/** A bit of a mask is 0 where it paints. */
function maskOf(means: Uint8ClampedArray, width: number, height: number): Uint8Array {
  const rowBytes = (width + 7) >> 3;
  const bits = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if ((means[y * width + x] ?? 255) > 127) {
        const at = y * rowBytes + (x >> 3);
        bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
      }
  return bits;
}
