/** Every copy of `bytes` with one bit flipped. */
function flippedBits(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return copy;
  });
}

/** Every encoding of what `text` encodes with one bit flipped. */
export function flippedText(text: string, encoding: 'base64' | 'base64url'): string[] {
  return flippedBits(Buffer.from(text, encoding)).map((bytes) => bytes.toString(encoding));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Every text that differs from `text` in one character, by one bit of its value in base64url; a character outside of the alphabet by
 * one letter. Also the spellings that decode to the same bytes: a text is compared, not the bytes that it stands for.
 */
export function alteredTexts(text: string): string[] {
  return Array.from(text).flatMap((letter, at) => {
    const value = alphabet.indexOf(letter);
    const others = value < 0 ? ['A'] : Array.from({ length: 6 }, (_, bit) => alphabet[value ^ (1 << bit)] ?? '');
    return others.map((other) => text.slice(0, at) + other + text.slice(at + 1));
  });
}
