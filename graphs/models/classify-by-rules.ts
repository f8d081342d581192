import { documentCues } from '#src/domain/describe-locally/document-cues.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

export const rulesLabel = 'local/rules-1';

export interface LabelRule {
  readonly label: string;
  readonly keywords?: readonly string[] | undefined;
}

export interface RuledLabel {
  /** null if the text has no keyword of any label. */
  readonly label: string | null;
  /** 0..1: share of the label in all matches, reduced if there are few matches. */
  readonly confidence: number;
  /** Matched words in folded form, at most 10. */
  readonly evidence: string[];
}

interface Score {
  readonly label: string;
  readonly points: number;
  readonly words: readonly string[];
}

/**
 * Counts keywords in the text: whole words, ignoring case and accents. Keywords of several words count more, repeats count less. A label
 * without keywords uses its own words and the cues of the document type of the same name. The first label wins a tie.
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
