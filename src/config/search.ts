import { z } from 'zod';

/** Variables of search and of local embeddings. */
export const searchRows = {
  EMBEDDINGS: {
    schema: z.enum(['lexical', 'semantic']).default('lexical'),
    doc: 'Local text embeddings. lexical: words and spelling; semantic: also the meaning of English sentences, by optional packages, and instead of EMBEDDING_MODEL. Used with DOCUMENT_SEARCH_MODE=hybrid',
  },
  DOCUMENT_SEARCH_MODE: {
    schema: z.enum(['lexical', 'hybrid']).default('lexical'),
    doc: 'lexical: search by words, phrases and identifiers; hybrid: add the nearest text embeddings',
  },
  VECTOR_QUANTIZATION: {
    schema: z.enum(['none', 'scalar', 'binary']).default('none'),
    doc: 'Form in which Atlas keeps vectors in memory: 4 bytes, 1 byte (scalar) or 1 bit (binary) a number; whole ones stay on its disk. The same for all processes: a change rebuilds the index. The embedded database compares whole vectors always',
  },
} as const;
