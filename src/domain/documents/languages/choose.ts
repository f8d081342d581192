import type { LanguageSource } from '#src/contracts/resources/results.ts';

/** Setting and param with which each document is read in the language that is found in it. Source: docs/decisions/0215. */
export const anyLanguage = 'auto';

export interface LanguageChoice {
  /** Languages of the document, from its upload or its key. */
  readonly document?: readonly string[] | undefined;
  /** Param `language` of the node. */
  readonly node?: string | undefined;
  /** The param counts before the languages of the document. */
  readonly nodeFirst?: boolean | undefined;
  /** `OCR_LANGUAGE`. */
  readonly standard: string;
}

/** Codes joined by `+`, or `auto`. Source: `ocr.languages.order`, docs/decisions/0214. */
export function chosenLanguage({ document, node, nodeFirst, standard }: LanguageChoice): {
  readonly language: string;
  readonly from: LanguageSource;
} {
  if (node !== undefined && (nodeFirst === true || document === undefined)) return { language: node, from: 'workflow' };
  if (document !== undefined) return { language: document.join('+'), from: 'document' };
  return { language: standard, from: 'installation' };
}

/** Models that are no language of their own: of scripts, of formulas, of old and vertical print. */
const special = /^(?:osd|equ)$|_(?:old|vert|frak)$/;

/** Languages that a document can be found to have, the one of the first look first: English, which is always there. */
export function detectable(installed: readonly string[]): string[] {
  const languages = installed.filter((code) => !special.test(code)).toSorted();
  return [...languages.filter((code) => code === 'eng'), ...languages.filter((code) => code !== 'eng')];
}
