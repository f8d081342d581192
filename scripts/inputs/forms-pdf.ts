import { pdfFile, stream } from '#scripts/inputs/pdf-file.ts';

const shading =
  '<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 600 800]/Function<</FunctionType 2/Domain[0 1]/C0[0]/C1[1]/N 1>>>>';

/**
 * A PDF of one page and some 2 kB, on which a form draws the next one twice, `depth` times: 2^depth drawings. Shadings are as large as the page,
 * and take computing time; squares are small, and take memory for their instructions.
 */
export function formsPdf(depth: number, drawing: 'shading' | 'square' = 'shading'): Buffer {
  const first = 5;
  const form = (at: number) => {
    const entries = '/Subtype/Form/BBox[0 0 600 800]';
    if (at === depth && drawing === 'square') return stream('0 0 9 9 re f', entries);
    if (at === depth) return stream('/S sh', `${entries}/Resources<</Shading<</S ${shading}>>>>`);
    return stream('/F Do /F Do', `${entries}/Resources<</XObject<</F ${first + at + 1} 0 R>>>>`);
  };
  return pdfFile({
    objects: [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</F ${first} 0 R>>>>>>`,
      stream('/F Do'),
      ...Array.from({ length: depth + 1 }, (_, at) => form(at)),
    ],
  });
}
