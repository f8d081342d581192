/** Letters that our tag begins with. See `renderBlock`. */
const tagName = 'untrusted';

/** Characters that look like the `<` of a tag. */
const openers = /[<\u02C2\u1438\u2039\u2329\u276E\u27E8\u3008\uFE64\uFF1C]/u;
const everyOpener = new RegExp(openers, 'gu');

/** Letters of other scripts that look like a letter of the tag. Source: Unicode TR 39, confusables. */
const readAs: ReadonlyMap<string, string> = new Map(
  Object.entries({ u: 'υսʋᴜ', n: 'ոռηνɴ', t: 'тτᴛŧ', r: 'гᴦʀɾ', s: 'ѕꜱʂ', e: 'еєҽεɛᴇ', d: 'ԁժɗđᴅ' }).flatMap(
    ([letter, others]) => others.split('').map((other): [string, string] => [other, letter]),
  ),
);

/** Reduces a character to the letters it looks like, without accents, forms and case; empty for signs and invisible characters. */
function lettersOf(character: string): string {
  if (character <= '\u007F') return /[a-z]/i.test(character) ? character.toLowerCase() : '';
  const plain = character.normalize('NFKD').toLowerCase();
  return Array.from(plain, (one) => readAs.get(one) ?? (/\p{L}/u.test(one) ? one : '')).join('');
}

/** True when the letters from `from` to the next opener begin with the tag's name. */
function spellsTag(text: string, from: number): boolean {
  let spelled = '';
  for (let at = from; at < text.length && spelled.length < tagName.length;) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (openers.test(character)) return false;
    spelled += lettersOf(character);
    if (!tagName.startsWith(spelled.slice(0, tagName.length))) return false;
    at += character.length;
  }
  return spelled.startsWith(tagName);
}

/**
 * Escapes everything that a machine or a reader could take for our tag: look-alike letters and brackets, and letters with invisible
 * characters between them. All other text stays as it is.
 */
export function neutralize(text: string): string {
  if (!openers.test(text)) return text;
  return text.replaceAll(everyOpener, (opener: string, at: number) =>
    spellsTag(text, at + opener.length) ? '&lt;' : opener,
  );
}

const unseen = /[\p{Cf}]|(?![\n\t])\p{Cc}/gu;

/** Prepares untrusted text for a person: without invisible characters, at most `max` characters. */
export function plainText(text: string, max: number): string {
  const seen = neutralize(text.replaceAll('\r\n', '\n').replaceAll(unseen, '')).trim();
  return seen.length <= max ? seen : `${seen.slice(0, max).toWellFormed()} …`;
}

/** Quotes an untrusted name within a sentence: on one line, in quotes that it cannot close. */
export function plainName(name: string, max = 80): string {
  return `“${plainText(name.replaceAll(/[\p{C}\s]+/gu, ' ').replaceAll(/[“”]/gu, '"'), max)}”`;
}
