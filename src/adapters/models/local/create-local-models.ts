import { createHeuristicDescriber } from '#src/adapters/models/local/heuristic-describer.ts';
import { createLexicalEmbedder } from '#src/adapters/models/local/lexical-embedder.ts';
import { createVisualEmbedder } from '#src/adapters/models/local/visual-embedder.ts';
import type { FeatureWeight } from '#src/domain/embed-locally/lexical-vector.ts';
import type { Models } from '#src/domain/ports/models.ts';

/** Offline, deterministic models. For `queryWeight` see `createLexicalEmbedder`. */
export function createLocalModels(queryWeight?: FeatureWeight): Models {
  return {
    describer: createHeuristicDescriber(),
    text: createLexicalEmbedder(queryWeight),
    image: createVisualEmbedder(),
  };
}
