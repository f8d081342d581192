import type { OcrLine, OcrPage } from '#src/domain/ports/ocr-engine.ts';

const letter = 0.01;
const height = 0.02;

/** Words at places of their own; every letter is 0.01 wide. */
export function row(top: number, ...places: readonly (readonly [left: number, text: string])[]): OcrLine {
  const words = places.map(([left, text]) => ({
    text,
    confidence: 90,
    box: [left, top, text.length * letter, height] as const,
  }));
  const left = Math.min(...words.map(({ box }) => box[0]));
  const right = Math.max(...words.map(({ box }) => box[0] + box[2]));
  return {
    text: places.map(([, text]) => text).join(' '),
    confidence: 90,
    box: [left, top, right - left, height],
    words,
  };
}

/** Words with one letter of space between them. */
export function line(text: string, top: number, left = 0.1): OcrLine {
  let at = left;
  const places = text.split(' ').map((word): [number, string] => {
    const place: [number, string] = [at, word];
    at += (word.length + 1) * letter;
    return place;
  });
  return row(top, ...places);
}

export function pageOf(lines: readonly OcrLine[], rotation: OcrPage['rotation'] = 0): OcrPage {
  const text = lines.map((one) => one.text).join('\n');
  return { index: 0, width: 1_000, height: 1_400, rotation, text, confidence: 90, lines, attempts: [], warnings: [] };
}
