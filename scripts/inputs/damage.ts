import { seeded, type Random } from '#scripts/fixtures/random.ts';
import { typeOf, type Format, type Input } from '#scripts/inputs/input.ts';

export interface Whole {
  readonly name: string;
  readonly format: Format;
  readonly bytes: Buffer;
}

const shares = [0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99] as const;
const flipRounds = 13;

/** Bits that were turned so that the file is a valid one without text, with the reason. */
const otherFiles: Readonly<Record<string, string>> = {
  'bits turned: pdf of deflated text, 3': 'the tree of pages has no Kids: pdf.js and others show an empty page',
};

function flipped(bytes: Buffer, random: Random, inHead: boolean): Buffer {
  const copy = Buffer.from(bytes);
  const reach = inHead ? Math.min(256, copy.length) : copy.length;
  for (let flips = 0; flips < 4; flips += 1) {
    const place = Math.floor(random.next() * reach);
    copy[place] = (copy[place] ?? 0) ^ (1 << Math.floor(random.next() * 8));
  }
  return copy;
}

/** The file cut, with bits turned in its head and anywhere, with a range of zeros, and with bytes around it. */
export function damaged({ name, format, bytes }: Whole, seed: number): Input[] {
  const random = seeded(seed);
  const contentType = typeOf[format];
  const of = (group: string, how: string, damage: Buffer): Input => ({
    name: `${group}: ${name}, ${how}`,
    group,
    contentType,
    bytes: damage,
    hasText: !Object.hasOwn(otherFiles, `${group}: ${name}, ${how}`),
  });
  const zeros = Buffer.from(bytes).fill(0, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6));
  const middle = Math.floor(bytes.length / 2);
  return [
    ...shares.map((share) =>
      of('cut off', `at ${share * 100}%`, bytes.subarray(0, Math.max(1, Math.floor(bytes.length * share)))),
    ),
    ...Array.from({ length: flipRounds }, (_, round) =>
      of('bits turned', `${round + 1}`, flipped(bytes, random, round % 2 === 0)),
    ),
    of('overwritten', 'a fifth of zeros', zeros),
    of('overwritten', 'the middle twice', Buffer.concat([bytes.subarray(0, middle + 64), bytes.subarray(middle)])),
    of('overwritten', 'junk before it', Buffer.concat([Buffer.from('\r\njunk\r\n'), bytes])),
    of('overwritten', 'junk after it', Buffer.concat([bytes, Buffer.alloc(2_000, 'x')])),
  ];
}

/** Each format declared as every other one, and things that are no documents. */
export function misdeclared(wholes: readonly Whole[]): Input[] {
  const types = Object.values(typeOf);
  const group = 'wrong types';
  const others = wholes.flatMap(({ name, format, bytes }) =>
    types
      .filter((type) => type !== typeOf[format])
      .map((contentType) => ({
        name: `${group}: ${name} as ${contentType}`,
        group,
        contentType,
        bytes,
        hasText: true,
      })),
  );
  const foreign: readonly [name: string, text: string][] = [
    ['html', '<!doctype html><html><body>hello</body></html>'],
    ['svg', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><text>hello</text></svg>'],
    ['zip', 'PK\u0003\u0004 and so on'],
    ['bmp', 'BM\u0036\u0000\u0000\u0000'],
    ['text', 'Dear Ms. Holm,'],
    ['zeros', '\0'.repeat(500)],
  ];
  return [
    ...others,
    ...foreign.map(([name, text]) => ({
      name: `${group}: ${name} as image/png`,
      group,
      contentType: 'image/png',
      bytes: Buffer.from(text, 'latin1'),
      hasText: true,
    })),
  ];
}
