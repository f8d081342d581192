import type { Highlight } from '#src/contracts/resources/card.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { placeText } from '#src/domain/extract-locally/page-text.ts';
import type { FoundHighlight } from '#src/domain/search/highlight.ts';
import type { PlacedPage } from '#src/stores/ocr-results.ts';
import type { ToolContext } from '#tools/define.ts';

/** Best documents whose highlights get places: a page has some hundred kilobytes of words. */
const mostPlaced = 25;
const mostBoxes = 20;

type Found = readonly (readonly [DocumentRecord, readonly FoundHighlight[]])[];

/** Fractions with four digits, a tenth of a millimetre on a large page; inside of the page. */
export const roundedBox = (box: readonly number[]): [number, number, number, number] => {
  const [x = 0, y = 0, width = 0, height = 0] = box.map((value) => Math.min(1, Math.max(0, value)));
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  return [round(x), round(y), round(width), round(height)];
};

/** A place whose page has other text than the search saw is left out: another result was stored meanwhile. */
function placed({ place, ...highlight }: FoundHighlight, page: PlacedPage | undefined): Highlight {
  if (place === undefined || page === undefined) return highlight;
  const text = placeText({ text: page.text, pages: [page] });
  const boxes = place.spans.flatMap((span) => (span.end <= page.text.length ? text.boxesAt(span) : []));
  if (boxes.length === 0) return { ...highlight, page: page.index };
  return {
    ...highlight,
    page: page.index,
    boxes: boxes.slice(0, mostBoxes).map(roundedBox),
    ...(page.rotation !== 0 && { rotate: page.rotation }),
  };
}

/** Adds page and boxes to the highlights of recognized text, with two queries at most. Source: docs/decisions/0173. */
export async function placedHighlights(
  { results }: Pick<ToolContext<'results'>['deps'], 'results'>,
  organizationId: string,
  found: Found,
): Promise<ReadonlyMap<string, Highlight[]>> {
  const placeOf = ({ ocr }: DocumentRecord, { place }: FoundHighlight) =>
    ocr === null || place === undefined ? [] : [{ ocrResultId: ocr.ocrResultId, page: place.page }];
  const places = found
    .slice(0, mostPlaced)
    .flatMap(([record, highlights]) => highlights.flatMap((highlight) => placeOf(record, highlight)));
  const pages = places.length === 0 ? new Map<string, PlacedPage>() : await results.ocrPagesAt(organizationId, places);
  return new Map(
    found.map(([record, highlights]) => [
      record._id,
      highlights.map((highlight) => {
        const [at] = placeOf(record, highlight);
        return placed(highlight, at && pages.get(`${at.ocrResultId}/${at.page}`));
      }),
    ]),
  );
}
