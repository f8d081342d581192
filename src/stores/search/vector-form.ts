/** Form in which a server keeps vectors in memory, besides whole ones on its disk: 4 bytes, 1 byte or 1 bit a number. */
export type Quantization = 'none' | 'scalar' | 'binary';

/** Limit of Atlas on candidates. */
const mostCandidates = 10_000;
/** Candidates for each hit, as MongoDB advises. */
const candidatesEach = 20;

/**
 * Options of `$vectorSearch` for the nearest `limit` vectors. Whole vectors are all compared. Of shorter forms, the server compares these and
 * then the candidates' whole vectors: an exact search would read every whole vector from its disk.
 */
export function nearestOf(
  limit: number,
  quantization: Quantization = 'none',
): { readonly limit: number } & ({ readonly exact: true } | { readonly numCandidates: number }) {
  if (quantization === 'none') return { exact: true, limit };
  return { numCandidates: Math.min(mostCandidates, limit * candidatesEach), limit };
}
