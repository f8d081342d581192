import type { TextOrigin } from '#src/domain/text-forms/hocr.ts';
import { blocksOf, pixelsOf, type WrittenPage } from '#src/domain/text-forms/page-blocks.ts';
import { escapeXml } from '#src/domain/text-forms/xml.ts';
import type { OcrLine } from '#src/domain/ports/ocr-engine.ts';
import { wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';

const space = 'http://www.loc.gov/standards/alto/ns-v4#';
const schema = 'http://www.loc.gov/standards/alto/v4/alto-4-4.xsd';

/** Start of an ALTO 4.4 document in pixels; its pages follow. Source: https://github.com/altoxml/schema. */
export function altoHead({ documentId, modelLabel }: TextOrigin): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="${space}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${space} ${schema}" SCHEMAVERSION="4.4">
<Description>
<MeasurementUnit>pixel</MeasurementUnit>
<sourceImageInformation><fileName>${escapeXml(documentId)}</fileName></sourceImageInformation>
<Processing ID="reading"><processingSoftware><softwareName>${escapeXml(modelLabel)}</softwareName></processingSoftware></Processing>
</Description>
<Layout>
`;
}

export const altoTail = '</Layout>\n</alto>\n';

/** One page: blocks of lines of words. Boxes are pixels of the page, confidences 0..1. */
export function altoPage(page: WrittenPage, { languages: [language, ...others] }: TextOrigin): string {
  const number = page.index + 1;
  const placed = (box: Box): string => {
    const { left, top, right, bottom } = pixelsOf(box, page);
    return `HPOS="${left}" VPOS="${top}" WIDTH="${right - left}" HEIGHT="${bottom - top}"`;
  };
  const lineOf = (line: OcrLine, id: string): string => {
    const words = wordsOf(line).map(
      ({ text, confidence, box }, at) =>
        `<String ID="${id}_w${at + 1}" ${placed(box)} WC="${share(confidence)}" CONTENT="${escapeXml(text)}"/>`,
    );
    return `<TextLine ID="${id}" ${placed(line.box)}>\n${words.join('\n<SP/>\n')}\n</TextLine>`;
  };
  const blocks = blocksOf(page).map(({ lines, box }, at) => {
    const id = `p${number}_b${at + 1}`;
    const inside = lines.map((line, row) => lineOf(line, `${id}_l${row + 1}`));
    return `<TextBlock ID="${id}" ${placed(box)}>\n${inside.join('\n')}\n</TextBlock>\n`;
  });
  const said = [
    ...(language === undefined ? [] : [`LANG="${escapeXml(language)}"`]),
    ...(others.length === 0 ? [] : [`OTHERLANGS="${others.map(escapeXml).join(' ')}"`]),
  ];
  const facts = [`WIDTH="${page.width}" HEIGHT="${page.height}" PC="${share(page.confidence)}"`, ...said].join(' ');
  const whole = placed([0, 0, 1, 1]);
  return `<Page ID="p${number}" PHYSICAL_IMG_NR="${number}" PROCESSINGREFS="reading" ${facts}>
<PrintSpace ${whole}>
${blocks.join('')}</PrintSpace>
</Page>
`;
}

const share = (confidence: number): string => (Math.min(100, Math.max(0, confidence)) / 100).toFixed(3);
