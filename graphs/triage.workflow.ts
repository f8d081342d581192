import { z } from 'zod';
import { channel, defineWorkflow, expr, node, route } from '#graphs/build.ts';
import { classify } from '#graphs/nodes/classify.ts';
import { emit } from '#graphs/nodes/emit.ts';
import { extract } from '#graphs/nodes/extract.ts';
import { DocumentFacts, IndexedFacts, OcrFacts } from '#graphs/nodes/facts.ts';
import { index } from '#graphs/nodes/index.ts';
import { loadImage } from '#graphs/nodes/load-image.ts';
import { ocr } from '#graphs/nodes/ocr.ts';
import { review } from '#graphs/nodes/review.ts';
import { transform } from '#graphs/nodes/transform.ts';

const retry = { maxAttempts: 3, initialIntervalMs: 500, backoff: 2, maxIntervalMs: 10_000 };
const labels = ['invoice', 'receipt', 'letter', 'form', 'other'] as const;

/** Classifies new documents, asks a person if the classifier is unsure, and extracts the fields of invoices and receipts. */
export const triage = defineWorkflow({
  id: 'wf_triage',
  name: 'Triage',
  description:
    'Sorts documents into invoices, receipts, letters, forms and others, asks when in doubt, and reads what is owed.',
  state: {
    document: channel(DocumentFacts),
    ocr: channel(OcrFacts),
    classification: channel(z.looseObject({ label: z.string(), confidence: z.number().min(0).max(1) })),
    answer: channel(z.enum(labels), { default: null }),
    label: channel(z.enum(labels)),
    fields: channel(z.record(z.string(), z.unknown()), { default: null }),
    indexed: channel(IndexedFacts),
  },
  nodes: {
    load_image: node(loadImage, {}, { retry }),
    recognize: node(ocr, {}, { retry }),
    classify: node(
      classify,
      {
        // Without keywords the rules use the cues of these document types.
        labels: [
          { label: 'invoice', description: 'Asks for payment of goods or services' },
          { label: 'receipt', description: 'Proves that something was paid, mostly from a till' },
          { label: 'letter', description: 'A personal or business letter' },
          { label: 'form', description: 'Fields to be filled in, or filled in already' },
        ],
        engine: 'auto',
        output: 'classification',
      },
      { retry },
    ),
    ask: node(review, {
      prompt: 'What kind of document is this? The classifier says "{{ classification.label }}", but is not sure.',
      data: { label: 'classification.label', confidence: 'classification.confidence' },
      answer: [...labels],
      output: 'answer',
    }),
    decide: node(transform, {
      set: { label: 'answer != null ? answer : (classification.label == "unknown" ? "other" : classification.label)' },
    }),
    extract_fields: node(
      extract,
      {
        fields: {
          number: { type: 'string', aliases: ['Invoice number', 'Invoice no', 'Receipt no', 'Rechnungsnummer'] },
          date: { type: 'date', aliases: ['Date', 'Invoice date', 'Datum'] },
          total: { type: 'money', aliases: ['Total', 'Amount due', 'Grand total', 'Summe', 'Gesamt'] },
        },
        engine: 'auto',
        output: 'fields',
      },
      { retry },
    ),
    index: node(index, {}, { retry }),
    tell: node(emit, {
      channel: 'realtime',
      type: 'document.sorted',
      data: { label: expr('label'), total: expr('fields == null ? null : fields.total.value') },
    }),
  },
  edges: [
    ['START', 'load_image'],
    ['load_image', 'recognize'],
    ['recognize', 'classify'],
    route('classify', [['classification.confidence < 0.6', 'ask']], 'decide'),
    ['ask', 'decide'],
    route('decide', [['label == "invoice" || label == "receipt"', 'extract_fields']], 'index'),
    ['extract_fields', 'index'],
    ['index', 'tell'],
    ['tell', 'END'],
  ],
  limits: { maxSteps: 30, timeoutMs: 86_400_000, maxConcurrency: 4 },
  outputs: { label: 'label', classification: 'classification', fields: 'fields', ocr: 'ocr', indexed: 'indexed' },
});
