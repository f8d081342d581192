/** Documents for measuring the database: the same for the same index, with words as rare and as common as in real texts. */
export interface MadeUp {
  readonly _id: string;
  /** One of three large organizations, or for two documents in a hundred the small one. */
  readonly organization: string;
  readonly createdAt: Date;
  readonly email: string;
  readonly text: string;
  readonly vector: Float32Array;
}

export const dimensions = 1_536;
export const largeOrganization = 'organization-1';
export const smallOrganization = 'organization-small';
const vocabulary = 5_000;
const wordsEach = 60;

/** A linear congruential generator: fast, and the same everywhere. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) % 2_147_483_647 || 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

function wordsFrom(next: (below: number) => number, count: number): string {
  const word = (): string => `word${Math.floor(vocabulary * (next(10_000) / 10_000) ** 3)}`;
  return Array.from({ length: count }, word).join(' ');
}

function vectorFrom(next: (below: number) => number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => next(2_000) / 1_000 - 1);
}

export function madeUp(index: number): MadeUp {
  const next = numbersFrom(index + 1);
  return {
    _id: `document-${index}`,
    organization: index % 50 === 0 ? smallOrganization : `organization-${index % 3}`,
    createdAt: new Date(1_700_000_000_000 + index * 1_000),
    email: `user${index}@example.org`,
    text: wordsFrom(next, wordsEach),
    vector: vectorFrom(next),
  };
}

/** The `index`-th question: so many words, common and rare, and a vector. */
export function question(index: number, words: number): { text: string; vector: Float32Array } {
  const next = numbersFrom(1_000_003 + index);
  return { text: wordsFrom(next, words), vector: vectorFrom(next) };
}
