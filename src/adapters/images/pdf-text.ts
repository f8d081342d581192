import { OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PageWarningCode } from '#src/contracts/page-warnings.ts';
import { openPage, sizeOf, viewportOf, withDocument, type PdfPage } from '#src/adapters/images/pdf-document.ts';
import { noteLosses } from '#src/adapters/images/pdf-losses.ts';
import { isCutOff, isPicture } from '#src/adapters/images/pdf-pictures.ts';
import { surveyOf } from '#src/adapters/images/pdf-survey.ts';
import type { PageText, TextRun } from '#src/domain/ports/image-codec.ts';

/** Limits of a page. Dense pages of a newspaper have 30,000 letters. */
const mostRuns = 50_000;
const mostCharacters = 200_000;

type Viewport = ReturnType<typeof viewportOf>;

/** Text that a page states. null without any. Throws an error named `RangeError` when there is no such page. */
export async function readPdfText(bytes: Uint8Array, index: number): Promise<PageText | null> {
  const losses = new Set<PageWarningCode>();
  const read = async (): Promise<PageText | null> =>
    withDocument(bytes, async (document) => {
      const page = await openPage(document, index);
      const viewport = viewportOf(page);
      const found = await runsOf(page, viewport);
      if (found.runs.length === 0) return null;
      // Decodes the pictures of the page as well, so it comes after the look for text.
      const operations = await page.getOperatorList();
      await checkPictures(page, operations, losses);
      const survey = surveyOf(operations, viewport, OPS);
      const { runs, isWhole } = found;
      // A damaged picture is where the page draws it; other losses may be anywhere.
      const isUncertain = survey.isUncertain || !isWhole || [...losses].some((code) => code !== 'picture_damaged');
      return { ...sizeOf(viewport), runs, ...survey, isUncertain, losses: [...losses] };
    });
  return noteLosses(losses, read);
}

interface Objects {
  get(id: string, found: (value: unknown) => void): void;
}

/** Waits for the pictures, which are decoded after the list of operations is complete: a damaged one is only known then. */
async function checkPictures(
  page: PdfPage,
  { fnArray, argsArray }: Awaited<ReturnType<PdfPage['getOperatorList']>>,
  losses: Set<PageWarningCode>,
): Promise<void> {
  const ids = new Set<string>();
  for (const [at, code] of fnArray.entries()) {
    const [id] = code === OPS.paintImageXObject ? (argsArray[at] as unknown[]) : [];
    if (typeof id === 'string') ids.add(id);
  }
  for (const id of ids) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    // pdfjs-dist keeps pictures of several pages elsewhere, and marks them so.
    ((id.startsWith('g_') ? page.commonObjs : page.objs) as Objects).get(id, resolve);
    const picture = await promise;
    if (isPicture(picture) && isCutOff(picture)) losses.add('picture_damaged');
  }
}

async function runsOf(page: PdfPage, viewport: Viewport): Promise<{ runs: TextRun[]; isWhole: boolean }> {
  const runs: TextRun[] = [];
  let characters = 0;
  const reader = page.streamTextContent().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const { items, styles } = part.value as TextPart;
    for (const item of items) {
      if (item.str === undefined || item.transform === undefined) continue;
      characters += item.str.length;
      if (runs.length >= mostRuns || characters > mostCharacters) {
        await reader.cancel(new Error('more text than a page has'));
        return { runs, isWhole: false };
      }
      const style = styles[item.fontName ?? ''];
      if (style?.vertical === true) return { runs, isWhole: false };
      if (item.str.trim() !== '') runs.push(runOf(item as Item, style?.ascent, viewport));
    }
  }
  return { runs, isWhole: true };
}

interface Item {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

interface TextPart {
  readonly items: readonly (Partial<Item> & { readonly fontName?: string })[];
  readonly styles: Readonly<Record<string, { readonly ascent?: number; readonly vertical?: boolean }>>;
}

/** Share of the size of letters that is above their base, for fonts that do not tell it. */
const usualAscent = 0.8;

/** Letters that the font does not name, such as ligatures, come as control characters, which neither JSON nor CSV should carry. */
const unnamed = /[^\P{Cc}\t\n\r]/gu;

function runOf({ str, transform, width, height }: Item, ascent: number | undefined, viewport: Viewport): TextRun {
  const [a = 1, b = 0, , , x = 0, y = 0] = transform;
  const length = Math.hypot(a, b) || 1;
  const [along, up] = [
    [a / length, b / length],
    [-b / length, a / length],
  ] as const;
  const above = ascent !== undefined && ascent > 0.3 && ascent < 1.2 ? ascent : usualAscent;
  const place = (right: number, high: number): [number, number] => {
    const [pixelX = 0, pixelY = 0] = viewport.convertToViewportPoint(
      x + along[0] * right + up[0] * high,
      y + along[1] * right + up[1] * high,
    ) as number[];
    return [pixelX / viewport.width, pixelY / viewport.height];
  };
  const [bottom, top] = [(above - 1) * height, above * height];
  const corners = [place(0, bottom), place(width, bottom), place(width, top), place(0, top)];
  const angle = ((((-Math.atan2(b, a) * 180) / Math.PI + viewport.rotation) % 360) + 360) % 360;
  return { text: str.replaceAll(unnamed, '\u{FFFD}'), corners, angle };
}
