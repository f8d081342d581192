import { z } from 'zod';
import { channel, defineWorkflow, node } from '#graphs/build.ts';
import { describe } from '#graphs/nodes/describe.ts';
import { embedImage } from '#graphs/nodes/embed-image.ts';
import { embedText } from '#graphs/nodes/embed-text.ts';
import { extract } from '#graphs/nodes/extract.ts';
import { DescriptionFacts, DocumentFacts, EmbeddingFacts, IndexedFacts, OcrFacts } from '#graphs/nodes/facts.ts';
import { index } from '#graphs/nodes/index.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { ocr } from '#graphs/nodes/ocr.ts';

const retry = { maxAttempts: 3, initialIntervalMs: 500, backoff: 2, maxIntervalMs: 10_000 };

interface Extraction {
  readonly id: `wf_${string}`;
  readonly name: string;
  readonly description: string;
  readonly recordType: string;
}

/** A workflow in code that stores the fields of documents as records, each with its place on the page, and indexes the documents for search. */
export const extractionOf = ({ recordType, ...named }: Extraction) =>
  defineWorkflow({
    ...named,
    state: {
      document: channel(DocumentFacts),
      ocr: channel(OcrFacts),
      description: channel(DescriptionFacts),
      fields: channel(z.record(z.string(), z.unknown())),
      imageEmbedding: channel(EmbeddingFacts),
      textEmbedding: channel(EmbeddingFacts),
      indexed: channel(IndexedFacts),
    },
    nodes: {
      load_image: node(loadImage, {}, { retry }),
      recognize: node(ocr, {}, { retry }),
      embed_image: node(embedImage, {}, { retry }),
      describe: node(describe, {}, { retry }),
      extract_fields: node(extract, { recordType, engine: 'auto', output: 'fields' }, { retry }),
      embed_text: node(embedText, {}, { retry }),
      index: node(index, {}, { retry }),
    },
    edges: [
      ['START', 'load_image'],
      ['load_image', ['recognize', 'embed_image']],
      ['recognize', 'describe'],
      ['describe', ['extract_fields', 'embed_text']],
      [['extract_fields', 'embed_text', 'embed_image'], 'index'],
      ['index', 'END'],
    ],
    limits: { maxSteps: 20, timeoutMs: 3_600_000, maxConcurrency: 4 },
    outputs: {
      fields: 'fields',
      ocr: 'ocr',
      description: 'description',
      imageEmbedding: 'imageEmbedding',
      textEmbedding: 'textEmbedding',
      indexed: 'indexed',
    },
  });
