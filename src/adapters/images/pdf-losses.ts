import type { PageWarningCode } from '#src/contracts/page-warnings.ts';

/** Warnings of pdfjs-dist 6.5 about parts of a page that it leaves out. It gives no other sign of most of them. */
const signs: readonly (readonly [start: string, code: PageWarningCode])[] = [
  ['Image exceeded maximum allowed size', 'picture_too_large'],
  ['Unable to decode image', 'picture_damaged'],
  ['Unable to decode inline image', 'picture_damaged'],
  ['JpegImage.parse - reached the end of the image data', 'picture_damaged'],
  ['Image dimensions are missing', 'picture_damaged'],
  ['getOperatorList - ignoring', 'content_damaged'],
  ['getContentStream - ignoring', 'content_damaged'],
  ['Invalid stream:', 'content_damaged'],
];

/**
 * Runs `work` of pdfjs-dist and adds to `losses` what it reports to leave out. pdfjs-dist writes warnings to the console of its thread: one
 * work at a time.
 */
export async function noteLosses<T>(losses: Set<PageWarningCode>, work: () => Promise<T>): Promise<T> {
  const { console: place } = globalThis;
  const before: unknown = Reflect.get(place, 'warn');
  place.warn = (text: unknown) => {
    const code = typeof text === 'string' ? codeOf(text) : undefined;
    if (code !== undefined) losses.add(code);
  };
  try {
    return await work();
  } finally {
    Reflect.set(place, 'warn', before);
  }
}

function codeOf(text: string): PageWarningCode | undefined {
  const message = text.replace(/^Warning: /, '');
  if (message.includes('-- ignoring the rest of the image data')) return 'picture_damaged';
  return signs.find(([start]) => message.startsWith(start))?.[1];
}
