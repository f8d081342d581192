import type { DocumentType } from '#src/contracts/media-types.ts';

/** Brands of the file type box. Source: AV1 Image File Format 1.1.0 §6, ISO/IEC 23008-12 §10. */
const avifBrands = new Set(['avif', 'avis']);
const otherBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'mif2', 'msf1']);

/** Optional package that decodes HEIC, in the version that was tried. Source: docs/decisions/0216. */
export const heicPackage = { name: 'libheif-js', version: '1.23.2' } as const;

/** Refusal of HEIC where the package is not installed, for errors. */
export const heicAdvice = `HEIC (HEIF) is not accepted here: convert it to JPEG or PNG, or AVIF. The operator can accept it with npm install --save-exact ${heicPackage.name}@${heicPackage.version}`;

/** True when bytes of the type that was found may be declared so: phones and browsers call a HEIC file either. */
export function mayBeDeclared(declared: DocumentType, found: DocumentType | null): boolean {
  return declared === found || (declared === 'image/heif' && found === 'image/heic');
}

/**
 * Coding of an image in the HEIF container by its first 64 bytes: `avif`, or `heic` for every other one. Null for other files. An AVIF may
 * name its brand among the compatible ones only.
 */
export function heifCoding(firstBytes: Buffer): 'avif' | 'heic' | null {
  if (firstBytes.length < 16 || firstBytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  const end = Math.min(firstBytes.readUInt32BE(0), firstBytes.length, 64);
  const brands = [firstBytes.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(firstBytes.toString('latin1', at, at + 4));
  if (brands.some((brand) => avifBrands.has(brand))) return 'avif';
  return brands.some((brand) => otherBrands.has(brand)) ? 'heic' : null;
}
