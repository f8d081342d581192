import { deflateSync } from 'node:zlib';
import { readFile } from 'node:fs/promises';
import { encryptedPdf } from '#scripts/inputs/encrypted-pdf.ts';
import { input, type Input } from '#scripts/inputs/input.ts';
import { mediaBox, onePage, pdfFile, stream, written, type PdfObject } from '#scripts/inputs/pdf-file.ts';
import { printedLines } from '#scripts/inputs/pictures.ts';

const plain = onePage({ content: written() });
const over = '600 0 0 173 0 60 cm';
const shown = `q ${over} /I Do Q`;

interface Scans {
  readonly jpeg: PdfObject;
  readonly flate: PdfObject;
  readonly jpegCut: PdfObject;
  readonly flateCut: PdfObject;
  /** It has too many pixels, which take a while. */
  readonly huge: () => Promise<PdfObject>;
  readonly jbig2: PdfObject;
}

/** The printed lines as pictures of a PDF. */
async function scans(): Promise<Scans> {
  const lines = (await printedLines()).grayscale();
  const jpeg = await lines.clone().jpeg().toBuffer();
  const raw = deflateSync(await lines.clone().raw().toBuffer());
  const of = (width: number, height: number, filter: string, data: Buffer): PdfObject =>
    stream(data, `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray ${filter}`);
  const flate = '/BitsPerComponent 8 /Filter /FlateDecode';
  const dct = '/BitsPerComponent 8 /Filter /DCTDecode';
  const resized = lines.clone().resize(13_500, 3_900, { fit: 'fill', kernel: 'nearest' });
  const huge = async (): Promise<Buffer> => deflateSync(await resized.raw().toBuffer(), { level: 1 });
  return {
    jpeg: of(900, 260, dct, jpeg),
    flate: of(900, 260, flate, raw),
    jpegCut: of(900, 260, dct, jpeg.subarray(0, jpeg.length / 3)),
    flateCut: of(900, 260, flate, raw.subarray(0, raw.length / 4)),
    huge: async () => of(13_500, 3_900, flate, await huge()),
    jbig2: of(900, 260, '/BitsPerComponent 1 /Filter /JBIG2Decode', Buffer.from('no picture at all')),
  };
}

const pdf = (name: string, bytes: Buffer, hasText = true): Input => input('pdf')(name, 'pdf', bytes, hasText);
const page = (name: string, of: Parameters<typeof onePage>[0], hasText = true): Input =>
  pdf(name, pdfFile({ objects: onePage(of) }), hasText);

function boxes(): Input[] {
  const content = written();
  return [
    page('reversed box', { entries: '/MediaBox [600 300 0 0]', content }),
    page('box that starts elsewhere', { entries: '/MediaBox [1000 1000 1600 1300]', content: written(1_040, 1_220) }),
    page('negative box', { entries: '/MediaBox [-600 -300 0 0]', content: written(-560, -80) }),
    page('crop box', { entries: `${mediaBox} /CropBox [20 100 500 290]`, content }),
    page('crop box outside', { entries: `${mediaBox} /CropBox [2000 2000 2600 2300]`, content }),
    page('turned page', { entries: `${mediaBox} /Rotate 90`, content }),
    page('page turned by 45', { entries: `${mediaBox} /Rotate 45`, content }),
    page('user unit', { entries: `${mediaBox} /UserUnit 3`, content }),
    page('largest page', { entries: '/MediaBox [0 0 14400 14400]', content: `q 20 0 0 20 0 0 cm ${content} Q` }),
    page('page of 10 km', { entries: '/MediaBox [0 0 28346457 28346457]', content }),
    page('page of size 0', { entries: '/MediaBox [0 0 0 0]', content }),
    page('page of width 0', { entries: '/MediaBox [0 0 0 300]', content }),
    page('page of 1 point', { entries: '/MediaBox [0 0 1 1]', content }, false),
    page('no box', { entries: '', content: written(40, 700) }),
    page('box of words', { entries: '/MediaBox [/A (b) null 3]', content: written(40, 700) }),
  ];
}

function forms(): Input[] {
  const field = (entries: string): string =>
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (total) /V (Total 12.50 EUR) /DA (/F1 18 Tf) /Rect [40 100 400 140] ${entries} >>`;
  const appearance = stream(
    '/Tx BMC q BT /F1 18 Tf 2 12 Td (Total 12.50 EUR) Tj ET Q EMC',
    '/Type /XObject /Subtype /Form /BBox [0 0 360 40] /Resources << /Font << /F1 5 0 R >> >>',
  );
  const acro = (more: string): string => `/AcroForm << /Fields [6 0 R] /DR << /Font << /F1 5 0 R >> >> ${more} >>`;
  const entries = `${mediaBox} /Annots [6 0 R]`;
  const note = stream(
    'BT /F1 18 Tf 2 12 Td (Paid on 12 May) Tj ET',
    '/Type /XObject /Subtype /Form /BBox [0 0 360 40] /Resources << /Font << /F1 5 0 R >> >>',
  );
  return [
    page('filled form', { entries, content: '', catalog: acro(''), more: [field('/AP << /N 7 0 R >>'), appearance] }),
    page('filled form without pictures', {
      entries,
      content: '',
      catalog: acro('/NeedAppearances true'),
      more: [field('')],
    }),
    page('filled form beside text', {
      entries,
      content: written(),
      catalog: acro(''),
      more: [field('/AP << /N 7 0 R >>'), appearance],
    }),
    page('comment', {
      entries,
      content: '',
      more: [
        '<< /Type /Annot /Subtype /FreeText /Contents (Paid on 12 May) /DA (/F1 18 Tf) /Rect [40 100 400 140] /AP << /N 7 0 R >> >>',
        note,
      ],
    }),
    page('stamp', {
      entries,
      content: '',
      more: ['<< /Type /Annot /Subtype /Stamp /Rect [40 100 400 140] /AP << /N 7 0 R >> >>', note],
    }),
    page('text in a form object', {
      content: '/I Do',
      forms: {
        I: stream(
          written(),
          '/Type /XObject /Subtype /Form /BBox [0 0 600 300] /Resources << /Font << /F1 5 0 R >> >>',
        ),
      },
    }),
    page('form object in itself', {
      content: '/I Do',
      forms: {
        I: stream(
          `/I Do ${written()}`,
          '/Type /XObject /Subtype /Form /BBox [0 0 600 300] /Resources << /Font << /F1 5 0 R >> /XObject << /I 6 0 R >> >>',
        ),
      },
    }),
  ];
}

function texts(): Input[] {
  return [
    page('text', { content: written() }),
    page('deflated text', { content: stream(deflateSync(written()), '/Filter /FlateDecode') }),
    page('white text', { content: `1 g ${written()}` }, false),
    page('invisible text alone', { content: written(40, 220, '3 Tr') }, false),
    page('outlined text', { content: written(40, 220, '1 Tr') }),
    page('text that clips', { content: `q ${written(40, 220, '7 Tr')} 0 0 600 300 re f Q` }),
    page('text off the page', { content: written(2_000, 2_000) }, false),
    page('unknown font', { content: written().replaceAll('/F1', '/F9') }),
    page('text under black', { content: `${written()} 0 g 0 0 600 300 re f` }, false),
    page('empty page', { content: '' }, false),
    page('unknown operators', { content: `frob 1 2 zap ${written()}` }),
    page('content that ends early', { content: `${written()} BT /F1 24 Tf 40 100 Td (never` }),
    page(
      'content that is no content',
      { content: Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 37) % 256)) },
      false,
    ),
    page('damaged deflated text', {
      content: stream(
        Buffer.concat([deflateSync(written()).subarray(0, 20), Buffer.alloc(60, 'z')]),
        '/Filter /FlateDecode',
      ),
    }),
    page('unknown filter', { content: stream(written(), '/Filter /NopeDecode') }),
    page('a hundred thousand states', { content: `${'q '.repeat(100_000)}${written()}` }),
    page('switched off layer', {
      content: `/OC /L BDC ${written()} EMC`,
      catalog: '/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>',
      more: ['<< /Type /OCG /Name (L) >>'],
    }),
  ];
}

async function pictures(): Promise<Input[]> {
  const { jpeg, flate, jpegCut, flateCut, huge, jbig2 } = await scans();
  return [
    page('scan without text layer', { content: shown, forms: { I: jpeg } }),
    page('deflated scan', { content: shown, forms: { I: flate } }),
    page('scan with invisible text', { content: `${shown} ${written(40, 220, '3 Tr')}`, forms: { I: jpeg } }),
    page('scan over the limit of pixels', { content: shown, forms: { I: await huge() } }),
    page('scan that is cut off', { content: shown, forms: { I: jpegCut } }),
    page('deflated scan that is cut off', { content: shown, forms: { I: flateCut } }),
    page('scan of another coding', { content: shown, forms: { I: jbig2 } }),
    page('text above a damaged scan', { content: `q 300 0 0 80 0 0 cm /I Do Q ${written()}`, forms: { I: jbig2 } }),
    page('missing scan', { content: shown }),
    page('turned scan', { entries: `${mediaBox} /Rotate 270`, content: shown, forms: { I: jpeg } }),
    page(
      'scan of which nothing is on the page',
      { content: 'q 600 0 0 173 5000 60 cm /I Do Q', forms: { I: jpeg } },
      false,
    ),
  ];
}

function structures(): Input[] {
  const whole = pdfFile({ objects: plain });
  const text = whole.toString('latin1');
  const edited = (from: string | RegExp, to: string): Buffer => Buffer.from(text.replace(from, to), 'latin1');
  const table = text.indexOf('xref\n');
  const many = (kids: string, count: number): Buffer =>
    pdfFile({
      objects: plain.map((object, index) =>
        index === 1 ? `<< /Type /Pages /Kids [${kids}] /Count ${count} >>` : object,
      ),
    });
  return [
    pdf('table of objects 7 bytes off', pdfFile({ objects: plain, offsetBy: 7 })),
    pdf('table of objects far off', pdfFile({ objects: plain, offsetBy: 100_000 })),
    pdf('no table of objects', Buffer.from(`${text.slice(0, table)}%%EOF\n`, 'latin1')),
    pdf('no trailer', edited(/trailer[^]*startxref/, 'startxref')),
    pdf('wrong startxref', edited(/startxref\n\d+/, 'startxref\n99999999')),
    pdf('startxref of itself', edited(/startxref\n\d+/, 'startxref\n0')),
    pdf('no catalog', edited('/Root 1 0 R', '')),
    pdf('catalog is a font', edited('/Root 1 0 R', '/Root 5 0 R')),
    pdf('wrong length of a stream', edited(/\/Length \d+/, '/Length 3')),
    pdf('length of a stream past the end', edited(/\/Length \d+/, '/Length 99999999')),
    pdf('no content', edited('/Contents 4 0 R', ''), false),
    // No error: a missing object is null (ISO 32000-1 §7.3.10).
    pdf('content that is missing', edited('/Contents 4 0 R', '/Contents 44 0 R'), false),
    pdf('content in a list', edited('/Contents 4 0 R', '/Contents [4 0 R]')),
    pdf('pages in a circle', many('2 0 R', 1)),
    pdf('same page twice', many('3 0 R 3 0 R', 2)),
    pdf('too high count', many('3 0 R', 40)),
    pdf('count of 0', many('3 0 R', 0)),
    pdf('count of a billion', many('3 0 R', 1_000_000_000)),
    pdf('negative count', many('3 0 R', -1)),
    pdf('no pages', many('', 0), false),
    pdf('page that is missing', many('33 0 R 3 0 R', 2)),
    pdf('junk before the header', Buffer.concat([Buffer.alloc(500, 'j'), whole])),
    pdf('version 9.9', edited('%PDF-1.5', '%PDF-9.9')),
    pdf('header alone', Buffer.from('%PDF-1.5\n%%EOF\n'), false),
    pdf('a password', encryptedPdf(plain, 'secret')),
    pdf('an empty password', encryptedPdf(plain, '')),
    pdf('unknown encryption', pdfFile({ objects: plain, trailer: '/Encrypt << /Filter /Nope /V 9 >>' })),
  ];
}

/** PDFs to damage. */
export async function wholePdfs(): Promise<ReadonlyMap<string, Buffer>> {
  const { jpeg, flate } = await scans();
  return new Map([
    ['pdf of text', pdfFile({ objects: plain })],
    [
      'pdf of deflated text',
      pdfFile({ objects: onePage({ content: stream(deflateSync(written()), '/Filter /FlateDecode') }) }),
    ],
    ['pdf of a jpeg', pdfFile({ objects: onePage({ content: shown, forms: { I: jpeg } }) })],
    ['pdf of a deflated scan', pdfFile({ objects: onePage({ content: shown, forms: { I: flate } }) })],
    ['invoice.pdf', await readFile(new URL('../../test/fixtures/invoice.pdf', import.meta.url))],
  ]);
}

export async function oddPdfs(): Promise<Input[]> {
  return [...texts(), ...boxes(), ...forms(), ...(await pictures()), ...structures()];
}
