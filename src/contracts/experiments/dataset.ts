import { z } from 'zod';
import {
  AnyId,
  Cursor,
  Name,
  PageLimit,
  CappedLimit,
  QueryInteger,
  Timestamp,
  isPlain,
  plainOnly,
  unsafePath,
} from '#src/contracts/fields.ts';
import { TypeName } from '#src/contracts/records/record-type.ts';

/** Bounds of datasets and experiments. Source: docs/decisions/0098. */
export const datasetLimits = {
  items: 500,
  /** References of one version, as JSON. */
  bytes: 4 * 1024 * 1024,
  textCharacters: 100_000,
  fields: 100,
  regions: 500,
  tags: 20,
} as const;

export const splits = ['dev', 'holdout'] as const;
export type Split = (typeof splits)[number];

const withoutNul = (text: string): boolean => !text.includes('\0');
const nulOnly = 'remove the character NUL';
const Text = z.string().max(datasetLimits.textCharacters).refine(withoutNul, nulOnly);
const FieldValue = z.union([z.string().max(10_000).refine(withoutNul, nulOnly), z.number(), z.boolean(), z.null()]);
const share = z.number().min(0).max(1);

/** The right result for a document, as a person would give it. */
export const Reference = z
  .strictObject({
    text: Text.optional().describe('All of its text'),
    fields: z
      .record(z.string().min(1).max(100).refine(withoutNul, nulOnly), FieldValue)
      .refine((fields) => Object.keys(fields).length <= datasetLimits.fields, `at most ${datasetLimits.fields} fields`)
      .optional()
      .describe('Values by field; null: the document has none'),
    label: z.string().min(1).max(200).refine(withoutNul, nulOnly).optional().describe('Its class'),
    regions: z
      .array(
        z.strictObject({
          page: z.int().min(0).default(0),
          label: z.string().max(200).default(''),
          box: z
            .tuple([share, share, share, share])
            .refine(
              ([x, y, width, height]) => width > 0 && height > 0 && x + width <= 1.001 && y + height <= 1.001,
              'use x, y, width and height inside the page',
            )
            .describe('x, y, width and height as shares of the page, as segments have them'),
        }),
      )
      .max(datasetLimits.regions)
      .optional(),
    answers: z
      .record(z.string().min(1).max(512), z.unknown())
      .superRefine((answers, context) => {
        // The rows of runs have them as objects.
        const message = unsafePath(answers);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .optional()
      .describe('Answers to questions of review nodes, by path: nobody is asked during an experiment'),
  })
  .meta({ id: 'Reference' });
export type Reference = z.output<typeof Reference>;

const Tag = z.string().trim().min(1).max(64).refine(isPlain, plainOnly);
const Item = z.strictObject({
  documentId: AnyId,
  reference: Reference.optional(),
  split: z.enum(splits).optional().describe('Default: by a hash of the id; copies stay together'),
  tags: z.array(Tag).max(datasetLimits.tags).optional(),
});

const Source = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('search'),
    query: z.string().min(1).max(1_000),
    limit: z.int().min(1).max(100).default(100),
  }),
  z
    .strictObject({ type: z.literal('jsonl'), text: z.string().min(1).max(900_000) })
    .describe('One item a line: {"documentId": ..., "reference": {...}}'),
  z
    .strictObject({ type: z.literal('csv'), text: z.string().min(1).max(900_000) })
    .describe('Columns documentId, text, label, split, tags (separated by ;), fields.<name>'),
  z
    .strictObject({
      type: z.literal('answers'),
      workflowId: AnyId,
      path: z.string().min(1).max(512).describe('Node that asked'),
      as: z.enum(['label', 'fields', 'text']).describe('Member of the reference that the answer becomes'),
      limit: z.int().min(1).max(500).default(500),
    })
    .describe("People's answers to review questions, corrections included; a document's newest answer counts"),
  z
    .strictObject({ type: z.literal('records'), recordType: TypeName, limit: z.int().min(1).max(500).default(500) })
    .describe('Confirmed records: their fields outside of lists, of money the amount; the newest first'),
]);

export const SaveDatasetBody = z.strictObject({
  datasetId: AnyId.optional().describe('Save a new version of this dataset; default: a new dataset'),
  baseVersion: z
    .int()
    .min(1)
    .max(999_999_999)
    .optional()
    .describe('Version that the change is based on; required with datasetId'),
  name: Name.optional(),
  description: z.string().max(2_000).optional(),
  projectId: AnyId.optional().describe('Required when you have several projects'),
  items: z.array(Item).max(datasetLimits.items).default([]).describe('Added, or replaced by documentId'),
  source: Source.optional().describe('Takes items from elsewhere'),
  remove: z.array(AnyId).max(datasetLimits.items).default([]).describe('documentIds to leave out'),
  devShare: z.number().min(0.1).max(0.9).default(0.6).describe('Share of dev items where no split is given'),
});

/** The same for agents: the schemas of items and sources are in words, since every tool list has them. */
export const SaveDatasetInput = SaveDatasetBody.extend({
  items: z
    .array(z.unknown())
    .max(datasetLimits.items)
    .default([])
    .pipe(SaveDatasetBody.shape.items.unwrap())
    .describe(
      'Added or replaced: {documentId, reference?: {text?, fields?: {name: value}, label?, regions?: [{page?, label?, box: [x, y, width, height]}], answers?}, split?: dev | holdout, tags?}',
    ),
  source: z.unknown().optional().pipe(SaveDatasetBody.shape.source).meta({
    type: 'object',
    description:
      'More items: {type: search, query} | {type: jsonl, text} one item a line | {type: csv, text} columns documentId, text, label, split, tags, fields.<name> | {type: answers, workflowId, path, as: label | fields | text} of review questions | {type: records, recordType} confirmed ones',
  }),
});

const counts = z.object({ dev: z.int(), holdout: z.int() });
const Ledger = z
  .object({
    alpha: z.number().describe('Probability of a wrong verdict, for all confirmations together'),
    confirmations: z.int().describe('Confirmations on the holdout so far'),
    nextAlpha: z.number().describe('Level of the next confirmation'),
  })
  .describe('Each confirmation gets half of what is left. Only a holdout of new documents begins anew');

export const Dataset = z
  .object({
    datasetId: z.string(),
    name: z.string(),
    description: z.string(),
    projectId: z.string(),
    version: z.int(),
    counts,
    references: z
      .object({ text: z.int(), fields: z.int(), label: z.int(), regions: z.int() })
      .describe('Items with such a reference'),
    ledger: Ledger,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Dataset' });
export const SavedDataset = Dataset.extend({
  added: z.int(),
  removed: z.int(),
  copies: z.int().describe('Items that look like another; they share its split'),
  skipped: z.int().describe('Answers that do not fit'),
});
export const DatasetList = z.object({ datasets: z.array(Dataset), nextCursor: z.string().nullable() });
export const DatasetListQuery = z.strictObject({ cursor: Cursor.optional(), limit: PageLimit.default(25) });

export const DatasetPath = z.strictObject({ datasetId: AnyId });
export const DatasetQuery = z.strictObject({
  version: QueryInteger(1, 999_999_999).optional().describe('Default: the newest'),
  offset: QueryInteger(0, datasetLimits.items).default(0),
  limit: CappedLimit(0, datasetLimits.items).default(25).describe('Items to show, in the order of their ids'),
});
export const GetDatasetInput = DatasetQuery.extend(DatasetPath.shape);
/** Items of the holdout are counted, never shown. */
export const DatasetDetail = Dataset.extend({
  items: z
    .array(
      z.object({
        documentId: z.string(),
        tags: z.array(z.string()),
        referenceText: z.string().describe('The reference as JSON, shortened'),
      }),
    )
    .describe('dev items only'),
  nextOffset: z.int().nullable(),
});
