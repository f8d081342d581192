import { z } from 'zod';
import { searchableName } from '#src/domain/documents/file-name.ts';
import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { defineNode, type NodeCall } from '#graphs/define.ts';
import {
  DescriptionFacts,
  EmbeddingFacts,
  IndexedFacts,
  OcrFacts,
  readFacts,
  SegmentationFacts,
  stillThere,
} from '#graphs/nodes/facts.ts';
import type { DocumentDescription } from '#src/domain/ports/models.ts';
import { saysTheSame, searchableOf, type Searchable } from '#src/domain/search/searchable.ts';
import type { EmbeddingResult } from '#src/domain/documents/results.ts';
import type { SearchUpdate } from '#src/stores/search/rows/row.ts';

type Call = Pick<NodeCall<unknown>, 'deps' | 'run' | 'state'>;

export const index = defineNode({
  type: 'index',
  version: 1,
  summary:
    'Write the search record of the document: title, description, text, identifiers and vectors. What the run has not stays as it was',
  params: z.strictObject({}),
  reads: [],
  readsIfPresent: ['ocr', 'description', 'segmentation', 'textEmbedding', 'imageEmbedding'],
  writes: ['indexed'],
  outputs: { indexed: IndexedFacts },
  pure: false,
  defaultTimeoutMs: 60_000,
  example: {},
  async run(call) {
    const { deps, run } = call;
    const found = await Promise.all([segmentsOf(call), vectors(call)]);
    // Read late, since visibility can change during the run, and people correct texts.
    let document: Searchable = await deps.document(run, 'now');
    for (let write = 1; ; write += 1) {
      const update = await updateOf(call, document, found);
      const after = await deps.search.upsert(update);
      const now = after === undefined ? document : searchableOf(after, run.baseAt);
      // A change after the first read may have reached search before this write. A later one reaches it after the last.
      if (write === mostWrites || saysTheSame(document, now))
        return { update: { indexed: { documentId: run.documentId, fields: filledFields(update) } } };
      document = now;
    }
  },
});

/** Writes of a document that people change all the time. */
const mostWrites = 5;

async function updateOf(
  call: Call,
  document: Searchable,
  [segmentationText, embeddings]: readonly [string | null, SearchUpdate['embeddings']],
): Promise<SearchUpdate> {
  const [value, ocrText] = await Promise.all([description(call, document), text(call, document)]);
  const { documentId, organizationId, projectId } = call.run;
  const { apiKeyId, visibility, objectKey, createdAt, filename, recordText, givenTitle } = document;
  const title = givenTitle ?? value?.title;
  const fieldValues = (value?.keyFields ?? []).map((field) => field.value);
  return {
    documentId,
    organizationId,
    projectId,
    apiKeyId,
    visibility,
    objectKey,
    createdAt,
    ...(title !== undefined && { title }),
    ...(value !== null && { description: value.description }),
    ...(ocrText !== null && { ocrText }),
    ...(segmentationText !== null && { segmentationText }),
    ...(filename !== undefined && { filename: searchableName(filename) }),
    ...(recordText !== undefined && { recordText }),
    identifiers: identifiersOf([title, ...fieldValues, filename, recordText, ocrText].join('\n')),
    embeddings,
  };
}

/** The description of this run, or the one that it does not replace. */
async function description({ deps, run, state }: Call, { kept }: Searchable): Promise<DocumentDescription | null> {
  const facts = readFacts(state, 'description', DescriptionFacts);
  if (!facts) return null;
  const id = kept?.description ?? facts.descriptionId;
  return stillThere(await deps.results.descriptionById(run.organizationId, id)).value;
}

/** The text of this run, or the one that it does not replace. */
async function text({ deps, run, state }: Call, { kept }: Searchable): Promise<string | null> {
  const facts = readFacts(state, 'ocr', OcrFacts);
  if (!facts) return null;
  return stillThere(await deps.results.ocrText(run.organizationId, kept?.ocr ?? facts.ocrResultId)).text;
}

const mostSegmentText = 20_000;

/** The prompt with the distinct labels and texts of its segments; empty without segments, and null without a segmentation. */
async function segmentsOf({ deps, run, state }: Call): Promise<string | null> {
  const facts = readFacts(state, 'segmentation', SegmentationFacts);
  if (!facts) return null;
  if (facts.segments === 0) return '';
  const found = stillThere(await deps.results.segmentationById(run.organizationId, facts.segmentationId));
  const words = found.segments.flatMap((segment) => [segment.label, segment.text ?? '']);
  const lines = [...new Set([found.prompt, ...words])].filter((line) => line !== '');
  return lines.join('\n').slice(0, mostSegmentText).toWellFormed();
}

/** A zero vector, which a text without content words has, has no direction: it removes the one that was there. */
async function vectors(call: Call): Promise<SearchUpdate['embeddings']> {
  const [ofText, ofImage] = await Promise.all([embedding(call, 'textEmbedding'), embedding(call, 'imageEmbedding')]);
  return {
    ...(ofText && { text: pointsSomewhere(ofText) ? { label: ofText.modelLabel, vector: ofText.vector } : null }),
    ...(ofImage && {
      image: pointsSomewhere(ofImage)
        ? {
            label: ofImage.modelLabel,
            vector: ofImage.vector,
            ...(ofImage.blockHash !== undefined && { blockHash: ofImage.blockHash }),
          }
        : null,
    }),
  };
}

function pointsSomewhere({ vector }: EmbeddingResult): boolean {
  return vector.some((value) => value !== 0);
}

async function embedding({ deps, run, state }: Call, channel: 'textEmbedding' | 'imageEmbedding') {
  const facts = readFacts(state, channel, EmbeddingFacts);
  return facts ? stillThere(await deps.results.embeddingById(run.organizationId, facts.embeddingId)) : null;
}

function filledFields(update: SearchUpdate): string[] {
  const fields = {
    title: update.title,
    description: update.description,
    ocrText: update.ocrText,
    segmentationText: update.segmentationText,
    identifiers: update.identifiers[0],
    'embeddings.text': update.embeddings.text,
    'embeddings.image': update.embeddings.image,
  };
  return Object.entries(fields).flatMap(([name, value]) => (value ? [name] : []));
}
