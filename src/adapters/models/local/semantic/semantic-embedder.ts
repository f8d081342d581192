import { createHashedWords } from '#src/adapters/models/local/lexical-embedder.ts';
import { createSentenceEncoder, type SentenceEncoder } from '#src/adapters/models/local/semantic/sentence-encoder.ts';
import { AppError } from '#src/domain/app-error.ts';
import { lexicalDimensions } from '#src/domain/embed-locally/lexical-vector.ts';
import {
  besideEachOther,
  hashedDimensions,
  passagesOf,
  readsAsEnglish,
} from '#src/domain/embed-locally/semantic-text.ts';
import type { Embedding, TextEmbedder } from '#src/domain/ports/models.ts';

const model = `semantic-${lexicalDimensions}`;
export const semanticLabel = `local/${model}`;

/**
 * Offline text vectors by words and, for English, by the meaning of sentences. Errors: `model.failed`. Source: docs/decisions/0144.
 */
export function createSemanticEmbedder(encoder: SentenceEncoder = createSentenceEncoder()): TextEmbedder {
  const words = createHashedWords(hashedDimensions);

  const sentencesOf = async (text: string, signal: AbortSignal | undefined): Promise<readonly Float32Array[]> => {
    if (!readsAsEnglish(text)) return [];
    try {
      return await encoder.encode(passagesOf(text), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw new AppError('model.failed', 'The local sentence encoder failed. Retry, or set EMBEDDINGS=lexical.', {
        cause: error,
      });
    }
  };

  const embed = async (hashed: Float32Array, text: string, signal?: AbortSignal): Promise<Embedding> => {
    signal?.throwIfAborted();
    const start = performance.now();
    const vector = besideEachOther(hashed, await sentencesOf(text, signal));
    return { vector, usage: { provider: 'local', model, ms: performance.now() - start } };
  };

  return {
    label: semanticLabel,
    dimensions: lexicalDimensions,
    embedDocument: async (text, signal) => embed(words.document(text), text, signal),
    embedQuery: async (text, signal) => embed(words.query(text), text, signal),
  };
}
