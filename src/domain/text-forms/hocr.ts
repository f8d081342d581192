import { escapeXml } from '#src/domain/text-forms/xml.ts';
import { blocksOf, percent, pixelsOf, type WrittenPage } from '#src/domain/text-forms/page-blocks.ts';
import { wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';

/** Facts about a text with boxes. */
export interface TextOrigin {
  readonly documentId: string;
  readonly modelLabel: string;
  /** BCP 47. */
  readonly languages: readonly string[];
}

/** Start of an hOCR document; its pages follow. Source: hOCR 1.2, http://kba.github.io/hocr-spec/1.2/. */
export function hocrHead({ documentId, modelLabel, languages: [language = 'und', ...others] }: TextOrigin): string {
  const all = [language, ...others].map(escapeXml).join(' ');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="${escapeXml(language)}" lang="${escapeXml(language)}">
<head>
<title>${escapeXml(documentId)}</title>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8"/>
<meta name="ocr-system" content="${escapeXml(modelLabel)}"/>
<meta name="ocr-capabilities" content="ocr_page ocr_carea ocr_par ocr_line ocrx_word ocrp_lang ocrp_wconf"/>
<meta name="ocr-langs" content="${all}"/>
</head>
<body>
`;
}

export const hocrTail = '</body>\n</html>\n';

/** One page: areas with one paragraph each, lines and words. Boxes are pixels of the page, `x_wconf` is 0..100. */
export function hocrPage(page: WrittenPage, documentId: string): string {
  const number = page.index + 1;
  const boxIn = (box: Box): string => {
    const { left, top, right, bottom } = pixelsOf(box, page);
    return `bbox ${left} ${top} ${right} ${bottom}`;
  };
  let words = 0;
  let lines = 0;
  const areas = blocksOf(page).map(({ lines: inside, box }, area) => {
    const written = inside.map((line) => {
      const within = wordsOf(line).map((word) => {
        const title = `${boxIn(word.box)}; x_wconf ${percent(word.confidence)}`;
        return `<span class="ocrx_word" id="word_${number}_${(words += 1)}" title="${title}">${escapeXml(word.text)}</span>`;
      });
      return `<span class="ocr_line" id="line_${number}_${(lines += 1)}" title="${boxIn(line.box)}">${within.join(' ')}</span>`;
    });
    const place = `${number}_${area + 1}`;
    const paragraph = `<p class="ocr_par" id="par_${place}" title="${boxIn(box)}">\n${written.join('\n')}\n</p>`;
    return `<div class="ocr_carea" id="block_${place}" title="${boxIn(box)}">\n${paragraph}\n</div>\n`;
  });
  const title = `image &quot;${escapeXml(documentId)}&quot;; bbox 0 0 ${page.width} ${page.height}; ppageno ${page.index}`;
  return `<div class="ocr_page" id="page_${number}" title="${title}">\n${areas.join('')}</div>\n`;
}
