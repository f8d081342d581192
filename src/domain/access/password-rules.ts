/** Reason to refuse a new password. */
export type PasswordProblem = 'common' | 'own_words';

/** Own words shorter than this are in too many good passwords. */
const shortestWord = 3;
/** Characters that must remain of a password without the person's own words. */
const leastRest = 8;

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The password without the digits and signs around it: "Dragon2024!" is "dragon". */
const core = (password: string): string => password.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');

/** Words of texts such as a name, an e-mail address or an organization's name, longest first. */
function wordsOf(texts: readonly string[]): readonly string[] {
  const words = texts.map(folded).flatMap((text) => {
    const parts = text.split(/[^\p{L}\p{N}]+/u);
    return [...parts, parts.join('')];
  });
  return [...new Set(words)].filter((word) => word.length >= shortestWord).toSorted((a, b) => b.length - a.length);
}

/**
 * Refuses a common password, also with digits or signs around it, and one that consists of the person's own words. `common`: lower case.
 * `own`: name, address, organization. Source: docs/decisions/0083.
 */
export function passwordProblem(
  password: string,
  common: ReadonlySet<string>,
  own: readonly string[],
): PasswordProblem | null {
  const given = folded(password);
  if (common.has(given) || common.has(core(given))) return 'common';
  const compact = given.replaceAll(/[^\p{L}\p{N}]+/gu, '');
  let rest = compact;
  for (const word of wordsOf(own)) rest = rest.replaceAll(word, '');
  return rest !== compact && (rest.length < leastRest || common.has(rest)) ? 'own_words' : null;
}
