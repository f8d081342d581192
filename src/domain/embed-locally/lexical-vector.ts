import { createLexicalFeatures, featureKind, type Stem } from '#src/domain/embed-locally/lexical-features.ts';
import { unitVector } from '#src/domain/embed-locally/unit-vector.ts';

/** Dimensions of text-embedding-3-small, so that one index definition serves both. */
export const lexicalDimensions = 1536;

/**
 * Weight of a feature (`s:invoic`, `p:invoic number`, `g:_inv`) in queries, usually its inverse document frequency within one project;
 * 0 for a feature no document has. Documents are never weighted by it, so that stored vectors stay comparable as a project grows.
 */
export type FeatureWeight = (feature: string) => number;

export interface LexicalVectors {
  document(text: string): Float32Array;
  query(text: string): Float32Array;
  /** Distinct feature names of a document, to compute a `FeatureWeight`. */
  features(text: string): ReadonlySet<string>;
}

/** Share of each kind of feature, by `featureKind`. */
const kindWeights = new Float64Array(3);
kindWeights[featureKind.stem] = 1;
kindWeights[featureKind.pair] = 0.3;
kindWeights[featureKind.gram] = 0.4;

/**
 * Fuzzy-lexical unit vectors: words and their spelling, no synonyms. Sublinear term frequency, signed feature hashing, L2.
 * Source: docs/decisions/0019; Weinberger et al. 2009 (feature hashing).
 */
export function createLexicalVectors(
  stem: Stem,
  queryWeight?: FeatureWeight,
  dimensions = lexicalDimensions,
): LexicalVectors {
  const features = createLexicalFeatures(stem);
  return {
    document: (text) => project(features.counts(text), dimensions),
    query(text) {
      const counts = features.counts(text);
      return queryWeight === undefined
        ? project(counts, dimensions)
        : project(counts, dimensions, weightsById(features.names(text), queryWeight));
    },
    features: (text) => new Set(features.names(text).values()),
  };
}

function project(
  counts: ReadonlyMap<number, number>,
  dimensions: number,
  weights?: ReadonlyMap<number, number>,
): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const [id, count] of counts) {
    const weight = (weights?.get(id) ?? 1) * (kindWeights[id & 3] ?? 0) * (1 + Math.log(count));
    const index = (id >>> 3) % dimensions;
    sums[index] = (sums[index] ?? 0) + ((id & 4) === 0 ? weight : -weight);
  }
  return unitVector(sums);
}

function weightsById(names: ReadonlyMap<number, string>, weightOf: FeatureWeight): Map<number, number> {
  const weights = new Map<number, number>();
  for (const [id, name] of names) weights.set(id, weightOf(name));
  return weights;
}
