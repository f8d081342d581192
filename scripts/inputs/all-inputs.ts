import { damaged, misdeclared, type Whole } from '#scripts/inputs/damage.ts';
import type { Input } from '#scripts/inputs/input.ts';
import { oddPdfs, wholePdfs } from '#scripts/inputs/pdfs.ts';
import { oddPictures, wholePictures } from '#scripts/inputs/pictures.ts';

/** Pictures that damage is done to: one or two of each format. */
const toDamage = new Set([
  'gray png',
  'interlaced png',
  'jpeg',
  'progressive jpeg',
  'webp',
  'lossless webp',
  'avif',
  'heic',
  'deflate tiff',
  'fax tiff',
  'gif',
]);
/** One of each format, to be declared as others. */
const toMisdeclare = new Set(['gray png', 'jpeg', 'webp', 'avif', 'heic', 'deflate tiff', 'gif', 'pdf of text']);

/** All odd and hostile inputs, in an order that is the same in every run. */
export async function allInputs(): Promise<readonly Input[]> {
  const pictures = [...(await wholePictures())].map(([name, [format, bytes]]): Whole => ({ name, format, bytes }));
  const pdfs = [...(await wholePdfs())].map(([name, bytes]): Whole => ({ name, format: 'pdf', bytes }));
  const wholes = [...pictures.filter(({ name }) => toDamage.has(name)), ...pdfs];
  return [
    ...(await oddPictures()),
    ...(await oddPdfs()),
    ...wholes.flatMap((whole, index) => damaged(whole, index + 1)),
    ...misdeclared([...pictures, ...pdfs].filter(({ name }) => toMisdeclare.has(name))),
  ];
}
