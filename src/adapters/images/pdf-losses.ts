import type { PageWarningCode } from '#src/contracts/page-warnings.ts';

/** End of a note of pdfjs-dist 6.5, of a level below warnings, about a deflated stream that it leaves from there on. */
const damagedStream = 'in flate stream';

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

/** Beginnings of notes about syntax that it skips. Others are about sound files, such as fonts that are not embedded. */
const skippedSyntax = ['Info: Malformed', 'Info: FormatError'] as const;

/** Warnings, and notes about syntax, during one work. */
export interface Notes {
  count: number;
}

/**
 * Runs `work` of pdfjs-dist and adds to `losses` what it reports to leave out. pdfjs-dist writes warnings and notes to the console of its thread: one
 * work at a time.
 */
export async function noteLosses<T>(losses: Set<PageWarningCode>, work: (notes: Notes) => Promise<T>): Promise<T> {
  const notes: Notes = { count: 0 };
  const { console: place } = globalThis;
  const before = { warn: Reflect.get(place, 'warn') as unknown, info: Reflect.get(place, 'info') as unknown };
  place.warn = (text: unknown) => {
    notes.count += 1;
    const code = typeof text === 'string' ? codeOf(text) : undefined;
    if (code !== undefined) losses.add(code);
  };
  place.info = (text: unknown) => {
    if (typeof text !== 'string') return;
    if (skippedSyntax.some((start) => text.startsWith(start))) notes.count += 1;
    if (text.endsWith(damagedStream)) losses.add('content_damaged');
  };
  try {
    return await work(notes);
  } finally {
    Object.assign(place, before);
  }
}

function codeOf(text: string): PageWarningCode | undefined {
  const message = text.replace(/^Warning: /, '');
  if (message.includes('-- ignoring the rest of the image data')) return 'picture_damaged';
  return signs.find(([start]) => message.startsWith(start))?.[1];
}
