/** Of Porter's paper: a run of consonants, one of vowels, and how often a word goes from vowels to consonants. */
const C = '[^aeiou][^aeiouy]*';
const V = '[aeiouy][aeiou]*';
const SOME = new RegExp(`^(?:${C})?${V}${C}`);
const ONE = new RegExp(`^(?:${C})?${V}${C}(?:${V})?$`);
const SEVERAL = new RegExp(`^(?:${C})?${V}${C}${V}${C}`);
const VOWEL = new RegExp(`^(?:${C})?[aeiouy]`);
const SHORT = new RegExp(`^${C}[aeiouy][^aeiouwxy]$`);

const STEP_2 = endings(
  'ational-ate tional-tion enci-ence anci-ance izer-ize bli-ble alli-al entli-ent eli-e ousli-ous ization-ize ation-ate ' +
    'ator-ate alism-al iveness-ive fulness-ful ousness-ous aliti-al iviti-ive biliti-ble logi-log',
);
const STEP_3 = endings('icate-ic ative- alize-al iciti-ic ical-ic ful- ness-');
const STEP_4 = /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize|(?<=[st])ion)$/;

/** Porter's stemmer of 1980, with the two departures that Lucene makes too (bli, logi). Takes a word in small letters. */
export function stem(word: string): string {
  if (word.length < 3) return word;
  // A leading y is a consonant, which the capital stands for.
  let w = word.startsWith('y') ? `Y${word.slice(1)}` : word;
  if (/(?:ss|i)es$/.test(w)) w = w.slice(0, -2);
  else if (/[^s]s$/.test(w)) w = w.slice(0, -1);
  w = withoutPast(w);
  if (w.endsWith('y') && VOWEL.test(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  for (const { pattern, by } of [STEP_2, STEP_3]) {
    const [, root = '', ending = ''] = pattern.exec(w) ?? [];
    if (SOME.test(root)) w = root + (by.get(ending) ?? '');
  }
  const root = STEP_4.exec(w)?.[1] ?? '';
  if (SEVERAL.test(root)) w = root;
  const rest = w.endsWith('e') ? w.slice(0, -1) : '';
  if (SEVERAL.test(rest) || (ONE.test(rest) && !SHORT.test(rest))) w = rest;
  if (w.endsWith('ll') && SEVERAL.test(w)) w = w.slice(0, -1);
  return w.startsWith('Y') ? `y${w.slice(1)}` : w;
}

function withoutPast(w: string): string {
  if (w.endsWith('eed')) return SOME.test(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const rest = /^(.+?)(?:ed|ing)$/.exec(w)?.[1];
  if (rest === undefined || !VOWEL.test(rest)) return w;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return SHORT.test(rest) ? `${rest}e` : rest;
}

function endings(table: string): { pattern: RegExp; by: ReadonlyMap<string, string> } {
  const by = new Map(table.split(' ').map((pair) => pair.split('-') as [string, string]));
  return { pattern: new RegExp(`^(.+?)(${[...by.keys()].join('|')})$`), by };
}
