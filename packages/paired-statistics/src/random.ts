/** The next number of a sequence, at least 0 and below 1. */
export type Random = () => number;

/** Mixes text to 32 bits. Source: MurmurHash3, Austin Appleby, public domain. */
function hash(text: string): number {
  let state = 1_779_033_703 ^ text.length;
  for (let at = 0; at < text.length; at += 1) {
    state = Math.imul(state ^ text.charCodeAt(at), 3_432_918_353);
    state = (state << 13) | (state >>> 19);
  }
  state = Math.imul(state ^ (state >>> 16), 2_246_822_507);
  state = Math.imul(state ^ (state >>> 13), 3_266_489_909);
  return (state ^ (state >>> 16)) >>> 0;
}

/**
 * Writes the next 32-bit words of a sequence into all of an array. The sequence repeats for the same seed, with a period of 2^128 - 1.
 * Source: xoshiro128**, Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021).
 */
export function seededWords(seed: string): (into: Uint32Array) => void {
  let [a, b, c, d] = [hash(`${seed}0`), hash(`${seed}1`), hash(`${seed}2`), hash(`${seed}3`) | 1];
  return (into) => {
    // Local copies stay in registers: words of a large array cost a nanosecond each.
    let [p, q, r, s] = [a | 0, b | 0, c | 0, d | 0];
    for (let at = 0; at < into.length; at += 1) {
      const five = Math.imul(q, 5);
      into[at] = Math.imul((five << 7) | (five >>> 25), 9);
      const shifted = q << 9;
      r ^= p;
      s ^= q;
      q ^= r;
      p ^= s;
      r ^= shifted;
      s = (s << 11) | (s >>> 21);
    }
    [a, b, c, d] = [p, q, r, s];
  };
}

/** Numbers of `seededWords`, one at a time. */
export function seededRandom(seed: string): Random {
  const next = seededWords(seed);
  const word = new Uint32Array(1);
  return () => {
    next(word);
    return (word[0] ?? 0) / 2 ** 32;
  };
}

/** The items in random order. Source: Durstenfeld, "Algorithm 235: random permutation", CACM 7 (1964). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    [order[last], order[at]] = [order[at] as Item, order[last] as Item];
  }
  return order;
}
