import { own } from '#src/contracts/own.ts';

/** Tesseract's codes that are no language tags. */
const special: Readonly<Record<string, string>> = { chi_sim: 'zh-Hans', chi_tra: 'zh-Hant', frk: 'de-Latf' };

/** Languages of a result as BCP 47 tags, without repetition: `eng+deu` becomes `en`, `de`. Codes without a tag are left out. */
export function languageTags(codes: string): string[] {
  return [...new Set(codes.split('+').flatMap(tagOf))];
}

function tagOf(code: string): string[] {
  const known = own(special, code);
  if (known !== undefined) return [known];
  try {
    return Intl.getCanonicalLocales(code.split('_')[0]);
  } catch {
    // A code that is no language, such as one of a model of one's own.
    return [];
  }
}
