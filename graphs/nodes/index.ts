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
import type { RunDocument } from '#graphs/node-deps.ts';
import type { EmbeddingResult } from '#src/domain/documents/results.ts';
import type { SearchRecord } from '#src/stores/search/row.ts';

type Call = Pick<NodeCall<unknown>, 'deps' | 'run' | 'state'>;

export const index = defineNode({
  type: 'index',
  version: 1,
  summary: 'Replace the search record of the document: title, description, text, identifiers and vectors',
  params: z.strictObject({}),
  reads: [],
  readsIfPresent: ['ocr', 'description', 'segmentation', 'textEmbedding', 'imageEmbedding'],
  writes: ['indexed'],
  outputs: { indexed: IndexedFacts },
  pure: false,
  defaultTimeoutMs: 60_000,
  example: {},
  async run(call) {
    const [segmentationText, embeddings] = await Promise.all([segmentsOf(call), vectors(call)]);
    // Read late, since visibility can change during the run, and people correct texts.
    const document = await call.deps.document(call.run, 'now');
    const [value, ocrText] = await Promise.all([description(call, document), text(call, document)]);
    const { documentId, organizationId, projectId } = call.run;
    const { apiKeyId, visibility, objectKey, createdAt, filename, recordText, givenTitle } = document;
    const title = givenTitle ?? value?.title ?? '';
    const fieldValues = (value?.keyFields ?? []).map((field) => field.value);
    const record: SearchRecord = {
      documentId,
      organizationId,
      projectId,
      apiKeyId,
      visibility,
      objectKey,
      createdAt,
      title,
      description: value?.description ?? '',
      ocrText,
      segmentationText,
      ...(filename !== undefined && { filename: searchableName(filename) }),
      ...(recordText !== undefined && { recordText }),
      identifiers: identifiersOf([title, ...fieldValues, filename ?? '', recordText ?? '', ocrText].join('\n')),
      embeddings,
    };
    await call.deps.search.upsert(record);
    return { update: { indexed: { documentId, fields: filledFields(record) } } };
  },
});

/** The description of this run, or its correction. */
async function description(
  { deps, run, state }: Call,
  { corrected }: RunDocument,
): Promise<DocumentDescription | null> {
  const facts = readFacts(state, 'description', DescriptionFacts);
  if (!facts) return null;
  const id = corrected?.get(facts.descriptionId) ?? facts.descriptionId;
  return stillThere(await deps.results.descriptionById(run.organizationId, id)).value;
}

/** The text of this run, or its correction. */
async function text({ deps, run, state }: Call, { corrected }: RunDocument): Promise<string> {
  const facts = readFacts(state, 'ocr', OcrFacts);
  if (!facts) return '';
  const id = corrected?.get(facts.ocrResultId) ?? facts.ocrResultId;
  return stillThere(await deps.results.ocrText(run.organizationId, id)).text;
}

const mostSegmentText = 20_000;

/** The prompt with the distinct labels and texts of its segments; empty without segments. */
async function segmentsOf({ deps, run, state }: Call): Promise<string> {
  const facts = readFacts(state, 'segmentation', SegmentationFacts);
  if (!facts || facts.segments === 0) return '';
  const found = stillThere(await deps.results.segmentationById(run.organizationId, facts.segmentationId));
  const words = found.segments.flatMap((segment) => [segment.label, segment.text ?? '']);
  const lines = [...new Set([found.prompt, ...words])].filter((line) => line !== '');
  return lines.join('\n').slice(0, mostSegmentText).toWellFormed();
}

async function vectors(call: Call): Promise<SearchRecord['embeddings']> {
  const [ofText, ofImage] = await Promise.all([embedding(call, 'textEmbedding'), embedding(call, 'imageEmbedding')]);
  return {
    ...(ofText && pointsSomewhere(ofText) && { text: { label: ofText.modelLabel, vector: ofText.vector } }),
    ...(ofImage &&
      pointsSomewhere(ofImage) && {
        image: {
          label: ofImage.modelLabel,
          vector: ofImage.vector,
          ...(ofImage.blockHash !== undefined && { blockHash: ofImage.blockHash }),
        },
      }),
  };
}

/** False for a zero vector, which a text without content words has; it has no direction and stays out of the index. */
function pointsSomewhere({ vector }: EmbeddingResult): boolean {
  return vector.some((value) => value !== 0);
}

async function embedding({ deps, run, state }: Call, channel: 'textEmbedding' | 'imageEmbedding') {
  const facts = readFacts(state, channel, EmbeddingFacts);
  return facts ? stillThere(await deps.results.embeddingById(run.organizationId, facts.embeddingId)) : null;
}

function filledFields(record: SearchRecord): string[] {
  const fields: [string, boolean][] = [
    ['title', record.title !== ''],
    ['description', record.description !== ''],
    ['ocrText', record.ocrText !== ''],
    ['segmentationText', record.segmentationText !== ''],
    ['identifiers', record.identifiers.length > 0],
    ['embeddings.text', record.embeddings.text !== undefined],
    ['embeddings.image', record.embeddings.image !== undefined],
  ];
  return fields.filter(([, filled]) => filled).map(([name]) => name);
}
