/**
 * Frequent function words per language (ISO 639-1), folded as `foldText` does: lower case, no marks. They tell languages apart
 * and are skipped by the lexical embedding.
 */
export const functionWords = {
  en: `a about after all also an and any are as at be been before but by can could did do does for from had has have he her his
    how i if in into is it its may me more my no not of on one only or other our out over she should so some such than that the
    their them then there these they this to under up was we were what when where which who will with would you your`,
  de: `aber alle als am an auch auf aus bei bis da damit das dass dem den der des die diese dieser durch ein eine einem einen
    einer eines er es fur haben hat ich ihr ihre im in ist ja kann kein keine mit nach nicht noch nur ob oder ohne sehr sich sie
    sind so sowie uber um und uns unser unter vom von vor war was wenn werden wie wir wird wurde zu zum zur`,
  fr: `ainsi au aux avec ce ces cette dans de des du elle en est et etait ete etre il ils je la le les leur lui mais me mes mon
    ne nos notre nous ou par pas plus pour qu que qui sa sans se ses si son sont sous sur ta tout tres tu un une vos votre vous`,
  es: `al como con cuando de del desde donde el ella en entre era es esta este esto fue ha hasta hay la las le les lo los mas me
    mi muy no nos nuestro o para pero por porque que se sea ser si sin sobre son su sus tambien todo un una uno y ya`,
  it: `al alla anche che chi ci come con cui da dal dalla de degli dei del della delle di dove e ed era gli ha hanno i il in io
    la le lo loro ma mi nei nel nella no noi non nostro o per piu quando quello questa questo se sono su sua sul sulla suo tra
    un una uno vi voi`,
} as const;

export type KnownLanguage = keyof typeof functionWords;

/** Function words of other languages that are content words in English. */
const englishContent = new Set(
  'am bei die war was hat ten ja sans pour plus son sur tout me mine main sea hay era fue con ha per come chi ma mi vi'.split(
    ' ',
  ),
);

/** The words of one language as a set. */
export function functionWordSet(language: KnownLanguage): ReadonlySet<string> {
  return new Set(functionWords[language].split(/\s+/));
}

/** Words that the lexical embedding skips: all function words, except English content words. */
export function createStopWords(): ReadonlySet<string> {
  const words = new Set(functionWordSet('en'));
  for (const language of Object.keys(functionWords) as KnownLanguage[]) {
    for (const word of functionWordSet(language)) if (!englishContent.has(word)) words.add(word);
  }
  return words;
}
