import { documentCues } from '#src/domain/describe-locally/document-cues.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

export const rulesLabel = 'local/rules-1';

export interface LabelRule {
  readonly label: string;
  readonly keywords?: readonly string[] | undefined;
}

export interface RuledLabel {
  /** null where no keyword of any label is in the text. */
  readonly label: string | null;
  /** 0..1: share of the label among all that was found, less where little was found. */
  readonly confidence: number;
  /** The words that decided, as the folded text has them, at most 10. */
  readonly evidence: readonly string[];
}

interface Score {
  readonly label: string;
  readonly points: number;
  readonly words: readonly string[];
}

/**
 * Counts keywords over the text, whole words without regard to case and accents; a keyword of several words counts more, repeats
 * count less and less. A label without keywords goes by its own words, and by the cues of the document type it names. Of equals,
 * the first label.
 */
export function classifyByRules(text: string, labels: readonly LabelRule[]): RuledLabel {
  const folded = foldText(text);
  const flat = ` ${folded.replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  const scores = labels.map((rule) => scoreOf(rule, flat, folded));
  const best = scores.reduce((left, right) => (right.points > left.points ? right : left));
  if (best.points === 0) return { label: null, confidence: 0, evidence: [] };
  const all = scores.reduce((sum, { points }) => sum + points, 0);
  const confidence = (best.points / all) * (1 - 0.5 ** best.points);
  return { label: best.label, confidence, evidence: best.words.slice(0, 10) };
}

function scoreOf({ label, keywords }: LabelRule, flat: string, folded: string): Score {
  const given = keywords !== undefined && keywords.length > 0;
  const found = (given ? keywords : [label])
    .map((keyword) =>
      foldText(keyword)
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
    )
    .map((word) => ({ word, times: word === '' ? 0 : flat.split(` ${word} `).length - 1 }))
    .filter(({ times }) => times > 0)
    .map(({ word, times }) => ({ word, points: word.split(' ').length * (1 + Math.log2(times)) }));
  const cues = given ? [] : cuesOf(label, folded);
  const all = [...found, ...cues];
  return { label, points: all.reduce((sum, { points }) => sum + points, 0), words: all.map(({ word }) => word) };
}

function cuesOf(label: string, folded: string): { word: string; points: number }[] {
  const named = foldText(label)
    .replace(/[^a-z]+/g, ' ')
    .trim();
  const { cues } = documentCues.find(({ type }) => type === named) ?? { cues: [] };
  return cues.flatMap(([pattern, points]) => {
    const match = pattern.exec(folded)?.[0];
    return match === undefined ? [] : [{ word: match.replace(/\s+/g, ' ').trim(), points }];
  });
}
