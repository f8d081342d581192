// A workflow in code: recognize, classify, and extract the total of invoices and receipts.
// npm run graphs -- import examples/sort-mail.workflow.ts
import { z } from 'zod';
import { channel, defineWorkflow, node, route } from 'inkgraph';
import { classify, DocumentFacts, extract, index, IndexedFacts, loadImage, ocr, OcrFacts } from 'inkgraph/nodes';

const retry = { maxAttempts: 3, initialIntervalMs: 500, backoff: 2, maxIntervalMs: 10_000 };

export const sortMail = defineWorkflow({
  id: 'wf_sort_mail',
  name: 'Sort mail',
  description: 'Tells letters from bills, and reads what a bill comes to.',
  // Channels are the state of a run: nodes read and write them. Those with a default may stay empty.
  state: {
    document: channel(DocumentFacts),
    ocr: channel(OcrFacts),
    classification: channel(z.looseObject({ label: z.string(), confidence: z.number() })),
    fields: channel(z.record(z.string(), z.unknown()), { default: null }),
    indexed: channel(IndexedFacts),
  },
  nodes: {
    load_image: node(loadImage, {}, { retry }),
    recognize: node(ocr, {}, { retry }),
    classify: node(classify, {
      labels: [
        {
          label: 'bill',
          description: 'Asks for money, or proves a payment',
          keywords: ['total', 'invoice', 'receipt'],
        },
        { label: 'letter', description: 'A personal or business letter', keywords: ['dear', 'sincerely', 'regards'] },
      ],
      engine: 'auto',
      output: 'classification',
    }),
    extract_total: node(extract, {
      fields: { total: { type: 'money', aliases: ['Total', 'Amount due', 'Grand total'] } },
      engine: 'auto',
      output: 'fields',
    }),
    index: node(index, {}, { retry }),
  },
  edges: [
    ['START', 'load_image'],
    ['load_image', 'recognize'],
    ['recognize', 'classify'],
    route('classify', [['classification.label == "bill"', 'extract_total']], 'index'),
    ['extract_total', 'index'],
    ['index', 'END'],
  ],
  limits: { maxSteps: 20, timeoutMs: 600_000, maxConcurrency: 4 },
  outputs: { classification: 'classification', fields: 'fields' },
});
