import { foldText } from '#src/domain/embed-locally/fold-text.ts';

/** Letters that two letters are written for where a keyboard or a font has not got them; folding alone drops the difference. */
const writtenOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', œ: 'oe', æ: 'ae', ø: 'oe', å: 'aa' };
const special = /[äöüœæøå]/g;
const ascii = /^[\x00-\x7f]*$/;

/** Lower case without marks, and as it is written without special letters: `Müller` is `muller` and `mueller`. At least one form. */
export function foldedForms(word: string): string[] {
  if (ascii.test(word)) return [word.toLowerCase()];
  const spelt = word
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(special, (letter) => writtenOut[letter] ?? letter);
  return [...new Set([foldText(word), foldText(spelt)])];
}

const fewest = 4;
const endings = ['aux', 'ern', 'ees', 'em', 'en', 'er', 'es', 'ee', 'e', 'n', 's', 'x'];

/**
 * Without the endings that German and French put behind nouns and adjectives: `Rechnungen` and `Rechnung`, `factures` and `facture`
 * are one. Takes a folded word; one with a digit, or of up to four letters, stays.
 */
export function lightStem(folded: string): string {
  if (folded.length <= fewest || /\p{N}/u.test(folded)) return folded;
  for (const ending of endings)
    if (folded.endsWith(ending) && folded.length - ending.length >= fewest) return folded.slice(0, -ending.length);
  return folded;
}

/** What two spellings of a word have in common: each folded form without its ending. */
export function looseForms(word: string): string[] {
  return [...new Set(foldedForms(word).map(lightStem))];
}

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const longest = 64;

/** The loose forms of each word of a query, in order and each word once. */
export function looseWords(text: string): string[][] {
  const forms = (text.match(word) ?? []).map(looseForms);
  return [...new Map(forms.map((some) => [some.join(), some])).values()];
}

/** Text is read up to here, and as much is kept (UTF-16 units). */
const mostLoose = 200_000;

/** What is searched beside the text itself: the loose forms of its words, again as often as they come. */
export function looseText(text: string): string {
  const forms: string[] = [];
  let length = 0;
  for (const [found] of text.slice(0, mostLoose).matchAll(word)) {
    if (found.length > longest) continue;
    for (const form of looseForms(found)) {
      length += form.length + 1;
      if (length > mostLoose) return forms.join(' ');
      forms.push(form);
    }
  }
  return forms.join(' ');
}
