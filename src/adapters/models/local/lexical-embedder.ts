import { lazyStemmer } from '#src/adapters/models/local/lazy-stemmer.ts';
import {
  createLexicalVectors,
  lexicalDimensions,
  type FeatureWeight,
  type LexicalVectors,
} from '#src/domain/embed-locally/lexical-vector.ts';
import type { Embedding, TextEmbedder } from '#src/domain/ports/models.ts';

/** Hashed words, by English stems. */
export function createHashedWords(dimensions = lexicalDimensions, queryWeight?: FeatureWeight): LexicalVectors {
  return createLexicalVectors(lazyStemmer('english'), queryWeight, dimensions);
}

const lexicalLabel = `local/lexical-${lexicalDimensions}`;

/**
 * Offline, deterministic text vectors by words and spelling; synonyms have different vectors. Text without a content word has the zero
 * vector. `queryWeight` weighs the features of queries, for example by inverse document frequency. Default weight: 1.
 */
export function createLexicalEmbedder(queryWeight?: FeatureWeight): TextEmbedder {
  const vectors = createHashedWords(lexicalDimensions, queryWeight);
  const measured = (make: () => Float32Array, signal: AbortSignal | undefined): Embedding => {
    signal?.throwIfAborted();
    const start = performance.now();
    const vector = make();
    return {
      vector,
      usage: { provider: 'local', model: `lexical-${lexicalDimensions}`, ms: performance.now() - start },
    };
  };
  return {
    label: lexicalLabel,
    dimensions: lexicalDimensions,
    embedDocument: async (text, signal) => measured(() => vectors.document(text), signal),
    embedQuery: async (text, signal) => measured(() => vectors.query(text), signal),
  };
}
