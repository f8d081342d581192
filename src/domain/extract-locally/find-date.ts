import type { PlacedLine } from '#src/domain/extract-locally/page-text.ts';
import { typedValues, type TypedSpan } from '#src/domain/extract-locally/typed-value.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';

const time = /(?<![\d.])\d{1,2} ?: ?\d{2}(?!\d)/u;
const label = /\b(?:date|time|datum|zeit|uhr)\b/u;
/** Days that are not that of the document. */
const others =
  /\b(?:expir\w*|exp|valid|until|before|best|due|since|born|birth|delivery|bis|fallig|gultig|geburts\w*|geboren|lieferdatum|haltbar)\b/u;

interface Candidate {
  readonly found: TypedSpan;
  readonly points: number;
}

function candidatesOf({ line, start }: PlacedLine): Candidate[] {
  const folded = foldText(line.text);
  const points = (time.test(line.text) ? 1 : 0) + (label.test(folded) ? 0.8 : 0) - (others.test(folded) ? 2 : 0);
  return typedValues(line.text, 'date').map((found) => ({
    found: { ...found, start: start + found.start, end: start + found.end },
    points,
  }));
}

/**
 * The day of a document, where no label could be read: the date with a time beside it, or the one that is printed most, and no day on
 * which something expires or is due. null if there is no date.
 */
export function findDate(pages: readonly (readonly PlacedLine[])[]): (TypedSpan & { readonly sure: number }) | null {
  const byDay = Map.groupBy(pages.flat().flatMap(candidatesOf), ({ found }) => found.value);
  const ranked = [...byDay.values()]
    .flatMap((all) => {
      const best = all.reduce((one, other) => (other.points > one.points ? other : one));
      return { found: best.found, points: best.points + 0.3 * Math.min(2, all.length - 1) };
    })
    .toSorted((one, other) => other.points - one.points || one.found.start - other.found.start);
  const [first, second] = ranked;
  if (first === undefined) return null;
  const lead = first.points - (second?.points ?? -1);
  return { ...first.found, sure: lead >= 0.8 ? (first.points >= 1 ? 0.85 : 0.6) : 0.5 };
}
