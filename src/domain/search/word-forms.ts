import { foldText } from '#src/domain/embed-locally/fold-text.ts';

/** Common spellings of special letters with two letters, which folding does not produce. */
const writtenOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', œ: 'oe', æ: 'ae', ø: 'oe', å: 'aa' };
const special = /[äöüœæøå]/g;
const ascii = /^[\x00-\x7f]*$/;

/** Folded spellings of a word: `Müller` is `muller` and `mueller`. At least one form. */
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
 * Removes German and French endings of nouns and adjectives from a folded word: `Rechnungen` and `Rechnung`, `factures` and `facture`
 * become equal. Words with a digit or up to four letters stay.
 */
export function lightStem(folded: string): string {
  if (folded.length <= fewest || /\p{N}/u.test(folded)) return folded;
  for (const ending of endings)
    if (folded.endsWith(ending) && folded.length - ending.length >= fewest) return folded.slice(0, -ending.length);
  return folded;
}

/** Folded forms of a word without their endings, which different spellings share. */
export function looseForms(word: string): string[] {
  return [...new Set(foldedForms(word).map(lightStem))];
}

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const longest = 64;

/** Loose forms of each distinct word of a query, in order. */
export function looseWords(text: string): string[][] {
  const forms = (text.match(word) ?? []).map(looseForms);
  return [...new Map(forms.map((some) => [some.join(), some])).values()];
}

/** Most characters of the input and of the result, in UTF-16 code units. */
const mostLoose = 200_000;

/** Additional searchable text: the loose forms of all words, including repetitions. */
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
