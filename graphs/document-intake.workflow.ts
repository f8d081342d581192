import { channel, defineWorkflow, node } from '#graphs/build.ts';
import { describe } from '#graphs/nodes/describe.ts';
import { embedImage } from '#graphs/nodes/embed-image.ts';
import { embedText } from '#graphs/nodes/embed-text.ts';
import { DescriptionFacts, DocumentFacts, EmbeddingFacts, IndexedFacts, OcrFacts } from '#graphs/nodes/facts.ts';
import { index } from '#graphs/nodes/index.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { ocr } from '#graphs/nodes/ocr.ts';

const retry = { maxAttempts: 3, initialIntervalMs: 500, backoff: 2, maxIntervalMs: 10_000 };

/** A document without description or embedding is found by its text: the run goes on, and tells it in `degraded`. Source: docs/decisions/0134. */
const optional = { retry, onError: 'continue' } as const;

/** Default pipeline: reads, describes, embeds and indexes a new document. */
export const documentIntake = defineWorkflow({
  id: 'wf_document_intake',
  name: 'Document intake',
  description: 'Recognizes the text, describes the document, embeds image and text, and makes it searchable.',
  state: {
    document: channel(DocumentFacts),
    ocr: channel(OcrFacts),
    description: channel(DescriptionFacts),
    imageEmbedding: channel(EmbeddingFacts),
    textEmbedding: channel(EmbeddingFacts),
    indexed: channel(IndexedFacts),
  },
  nodes: {
    load_image: node(loadImage, {}, { retry }),
    recognize: node(ocr, {}, { retry }),
    embed_image: node(embedImage, {}, optional),
    describe: node(describe, {}, optional),
    embed_text: node(embedText, {}, optional),
    index: node(index, {}, { retry }),
  },
  edges: [
    ['START', 'load_image'],
    ['load_image', ['recognize', 'embed_image']],
    ['recognize', 'describe'],
    ['describe', 'embed_text'],
    [['embed_text', 'embed_image'], 'index'],
    ['index', 'END'],
  ],
  limits: { maxSteps: 20, timeoutMs: 3_600_000, maxConcurrency: 4 },
  outputs: {
    ocr: 'ocr',
    description: 'description',
    imageEmbedding: 'imageEmbedding',
    textEmbedding: 'textEmbedding',
    indexed: 'indexed',
  },
});
