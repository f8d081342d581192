/** Characters that are never part of a name: controls, marks that turn the direction of text, halves of pairs, line separators. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Name of a file as a client gives it, without folders and without characters that nobody sees; white space becomes single spaces. null if
 * nothing is left. The client chose it: it is shown and searched, and never opens anything. Source: docs/decisions/0142.
 */
export function fileNameOf(given: string): string | null {
  const name = given.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll(unseen, '');
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).trim();
  return /^\.*$/.test(last) ? null : last;
}

/** The name for the index of words, which takes an underscore for a letter. */
export const searchableName = (name: string): string => name.replaceAll('_', ' ');
