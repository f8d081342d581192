/** Part of a document, with the places of matches in it. */
export interface Passage {
  readonly text: string;
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** Characters before the first match, so that it stands in the two lines of a card on a phone. */
const lead = 24;

/** The passage from shortly before its first match. */
export function fromMatch({ text, spans }: Passage): Passage {
  const first = spans[0]?.start ?? 0;
  if (first <= lead) return { text, spans };
  const border = text.indexOf(' ', first - lead) + 1;
  const from = border > 0 && border < first ? border : first;
  const shift = from - 2;
  return {
    text: `… ${text.slice(from)}`,
    spans: spans.map(({ start, end }) => ({ start: start - shift, end: end - shift })),
  };
}
