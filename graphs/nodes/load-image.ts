import { z } from 'zod';
import { defineNode } from '#graphs/define.ts';
import { DocumentFacts } from '#graphs/nodes/facts.ts';

export const loadImage = defineNode({
  type: 'load_image',
  version: 1,
  summary: 'Decode the document and write its page count, size and type',
  params: z.strictObject({}),
  reads: [],
  writes: ['document'],
  outputs: { document: DocumentFacts },
  pure: true,
  defaultTimeoutMs: 60_000,
  example: {},
  async run({ deps, run, signal }) {
    const document = await deps.document(run);
    const { width, height } = await document.page(0, signal);
    return { update: { document: { pages: document.pages, width, height, contentType: document.contentType } } };
  },
});
