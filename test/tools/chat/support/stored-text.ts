import { identifiersOf } from '#src/domain/documents/identifiers.ts';
import { segmentationText } from '#src/domain/chat/passages.ts';
import { newId } from '#src/domain/ids.ts';
import { documentRecord } from '#test/support/records.ts';
import type { TestApp } from '#test/support/test-app.ts';
import type { ResultOrigin } from '#src/domain/documents/results.ts';

export interface StoredText {
  readonly text?: string;
  readonly title?: string;
  readonly description?: string;
  readonly segmentation?: { readonly prompt: string; readonly segments: readonly { label: string; text?: string }[] };
  /** Project of the document; the seeded one by default. */
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly apiKeyId?: string;
  readonly visibility?: 'private' | 'public';
}

/** A document as a run would leave it: its results and its search record, through the real stores. */
export async function storeText({ app, seed }: TestApp, given: StoredText): Promise<string> {
  const { deps } = app;
  const { text = '', title = '', description = '', segmentation } = given;
  const { organizationId = seed.organizationId, projectId = seed.projectId, visibility = 'private' } = given;
  const apiKeyId = given.apiKeyId ?? null;
  const record = documentRecord({ organizationId, projectId, apiKeyId, visibility });
  const { _id: documentId, objectKey, createdAt } = record;
  await deps.documents.insert(record);
  const origin: ResultOrigin = { organizationId, projectId, documentId, runId: newId('run'), nodeId: 'n' };
  if (text !== '')
    await deps.results.saveOcr(origin, { modelLabel: 'test', text, avgConfidence: 90, result: layoutOf(text) });
  if (title + description !== '') {
    const value = { title, description, language: 'en', documentType: 'letter', keyFields: [], tags: [] };
    const usage = { provider: 'test', model: 'test', ms: 0 };
    await deps.results.saveDescription(origin, { modelLabel: 'test', value, usage });
  }
  let segmentationWords = '';
  if (segmentation !== undefined) {
    const segments = segmentation.segments.map((segment, at) => {
      const [x, y] = [0.1 * at, 0.2];
      const polygon = [
        [x, y],
        [x + 0.1, y],
        [x + 0.1, y + 0.1],
      ] as const;
      return { ...segment, score: 1, box: [x, y, 0.1, 0.1] as const, polygon };
    });
    const found = { modelLabel: 'test', prompt: segmentation.prompt, page: 0, segments };
    await deps.results.saveSegmentation(origin, { ...found, unsupportedPrompt: false, derivedDocumentId: null });
    segmentationWords = segmentationText(found).text;
  }
  await deps.search.upsert({
    documentId,
    organizationId,
    projectId,
    apiKeyId,
    visibility,
    objectKey,
    createdAt,
    title,
    description,
    ocrText: text,
    segmentationText: segmentationWords,
    identifiers: identifiersOf(`${title}\n${text}`),
    embeddings: {},
  });
  return documentId;
}

/** One line below the other, each with a box. */
function layoutOf(text: string) {
  const pages = text.split('\f').map((page, index) => ({
    index,
    width: 100,
    height: 100,
    rotation: 0 as const,
    text: page,
    confidence: 90,
    attempts: [],
    warnings: [],
    lines: page.split('\n').map((line, at) => ({
      text: line,
      confidence: 90,
      words: [],
      box: [0.1, Math.min(0.9, at / 50), 0.8, 0.02] as const,
    })),
  }));
  return { engine: 'test', language: 'eng', pages };
}
