import { editDistance } from '#src/domain/documents/text-distance.ts';

/**
 * Edits (insertions, deletions, substitutions of graphemes) that turn `recognized` into `truth`, divided by the length of
 * `truth`. Both are NFKC-normalized, white space is folded to single spaces. 0 is perfect; more than 1 is possible. Against an
 * empty truth: 0 when both are empty, else 1.
 */
export function characterErrorRate(truth: string, recognized: string): number {
  const [wanted, read] = [graphemes(fold(truth)), graphemes(fold(recognized))];
  if (wanted.length === 0) return read.length === 0 ? 0 : 1;
  return editDistance(wanted, read) / wanted.length;
}

function fold(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/** In printable ASCII every character is a grapheme, which spares the slow segmenter. */
function graphemes(text: string): string[] {
  if (/^[ -~]*$/u.test(text)) return text.split('');
  return Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), ({ segment }) => segment);
}
