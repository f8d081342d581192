/** A file to upload. */
export interface Input {
  /** Unique, and the same in every run. */
  readonly name: string;
  readonly group: string;
  /** As declared, which may be wrong. */
  readonly contentType: string;
  readonly bytes: Buffer;
  /** true: a person who opens the file, or opened it before it was damaged, sees text. */
  readonly hasText: boolean;
}

export const typeOf = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  tiff: 'image/tiff',
  gif: 'image/gif',
  pdf: 'application/pdf',
} as const;
export type Format = keyof typeof typeOf;

/** Makes inputs of a group. */
export const input =
  (group: string) =>
  (name: string, format: Format, bytes: Buffer, hasText = true): Input => ({
    name: `${group}: ${name}`,
    group,
    contentType: typeOf[format],
    bytes,
    hasText,
  });
