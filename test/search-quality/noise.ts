import type { Draw } from '#test/search-quality/draw.ts';

/** Characters that recognition confuses. */
const confusions: Readonly<Record<string, readonly string[]>> = {
  rn: ['m'],
  m: ['rn'],
  l: ['1', 'I'],
  i: ['l', 'j'],
  o: ['0', 'c'],
  e: ['c'],
  a: ['o'],
  h: ['b'],
  s: ['5'],
  t: ['f'],
  u: ['n', 'v'],
  B: ['8'],
  ä: ['a', 'ii'],
  ö: ['o', '6'],
  ü: ['u', 'ii'],
  é: ['e'],
  è: ['e', 'é'],
  ê: ['e'],
  ß: ['B'],
};

/** One character in so many is read as another one; accents are lost more often. */
const oneIn = 28;
const accentOneIn = 4;
/** One space in so many is lost. */
const spaceOneIn = 60;

/** As a poor scan is recognized. Digits stay: a number that was read wrong is another number. */
export function noisy(text: string, draw: Draw): string {
  let out = '';
  for (let at = 0; at < text.length;) {
    const pair = text.slice(at, at + 2);
    const read = Object.hasOwn(confusions, pair) ? pair : text.charAt(at);
    const wrong = confusions[read];
    const chance = read > '\u007f' ? accentOneIn : oneIn;
    if (wrong !== undefined && draw(chance) === 0) out += wrong[draw(wrong.length)] ?? '';
    else if (read !== ' ' || draw(spaceOneIn) > 0) out += read;
    at += read.length;
  }
  return out;
}
