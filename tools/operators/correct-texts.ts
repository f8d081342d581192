import {
  CorrectDescriptionInput,
  CorrectedDescription,
  CorrectedOcr,
  CorrectOcrInput,
  DescriptionList,
  DescriptionsQuery,
} from '#src/contracts/operators/corrections.ts';
import { DocumentPath } from '#src/contracts/resources/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { descriptionCorrected, ocrCorrected } from '#src/domain/events/realtime.ts';
import { changesByPage } from '#src/domain/operators/correct-page.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing, requireDocument } from '#tools/documents/require-document.ts';
import { sayerOf } from '#tools/records/present.ts';

type Context = ToolContext<'announce' | 'audit' | 'corrections' | 'documents' | 'search'>;

/** A document of the caller's own projects: public ones of others can be read only. Error: `document.not_found`. */
async function requireOwn({ deps, principal }: Context, id: string): Promise<DocumentRecord> {
  const document = await requireDocument(deps, principal, id);
  if (!principal.projectIds.includes(document.projectId)) throw documentMissing();
  return document;
}

function conflict(field: string, current: string | null): AppError {
  const message = current === null ? 'the document has no version now' : `the current version is ${current}`;
  return new AppError(
    'document.conflict',
    `Another version of this text was stored meanwhile: ${message}. Read it, and correct it again with its id.`,
    { errors: [{ pointer: `/${field}`, code: 'conflict', message }] },
  );
}

const by = ({ principal }: Context) => ({
  by: sayerOf(principal),
  author: principal.actorId,
  at: new Date(),
});

/** Source: `dashboard.corrections.ocr`, docs/decisions/0163. */
export const correctOcr = defineTool({
  name: 'correct_ocr',
  description: 'Correct words and lines of the text of a document: a new OCR result, based on the one that is named.',
  scope: 'documents:write',
  effect: 'write',
  idempotent: false,
  input: CorrectOcrInput,
  output: CorrectedOcr,
  async run(ctx: Context, { id, baseOcrResultId, changes }) {
    const { deps, requestId } = ctx;
    const document = await requireOwn(ctx, id);
    if (document.ocr === null)
      throw new AppError('document.unread', 'The document has no text yet. Run a workflow that reads it first.');
    const byPage = changesByPage(changes);
    const author = by(ctx);
    const current = document.ocr.ocrResultId === baseOcrResultId;
    const stored = current ? await deps.corrections.correctOcr(document, baseOcrResultId, byPage, author) : null;
    if (stored === null || typeof stored === 'symbol') {
      const now = current ? await requireOwn(ctx, id) : document;
      throw conflict('baseOcrResultId', now.ocr?.ocrResultId ?? null);
    }
    const { ocrResultId, text, formerText, avgConfidence, modelLabel } = stored;
    await deps.search.setTexts(document.organizationId, id, { ocrText: { now: text, former: formerText } });
    await record(ctx, 'document.correct', id, {
      ocrResultId,
      basedOn: baseOcrResultId,
      changes: changes.length,
      requestId,
    });
    const facts = { ocrResultId, modelLabel, avgConfidence, characters: text.length };
    deps.announce([ocrCorrected(document, facts, author)]);
    return {
      documentId: id,
      ocrResultId,
      basedOn: baseOcrResultId,
      source: author.by,
      author: author.author,
      ocrCreatedAt: author.at.toISOString(),
      avgConfidence,
      characters: text.length,
    };
  },
});

/** Source: `dashboard.corrections.description`, docs/decisions/0163. */
export const correctDescription = defineTool({
  name: 'correct_description',
  description: 'Correct the description of a document: a new version, based on the one that is named.',
  scope: 'documents:write',
  effect: 'write',
  idempotent: false,
  input: CorrectDescriptionInput,
  output: CorrectedDescription,
  async run(ctx: Context, { id, baseDescriptionId, description }) {
    const { deps, requestId } = ctx;
    const document = await requireOwn(ctx, id);
    const author = by(ctx);
    const current = (document.description?.descriptionId ?? null) === baseDescriptionId;
    const stored = current
      ? await deps.corrections.correctDescription(document, baseDescriptionId, description, author)
      : null;
    if (stored === null || typeof stored === 'symbol') {
      const now = current ? await requireOwn(ctx, id) : document;
      throw conflict('baseDescriptionId', now.description?.descriptionId ?? null);
    }
    await deps.search.setTexts(document.organizationId, id, { description });
    const { descriptionId, title } = stored;
    await record(ctx, 'document.correct', id, { descriptionId, basedOn: baseDescriptionId, requestId });
    deps.announce([descriptionCorrected(document, stored, author)]);
    return {
      documentId: id,
      descriptionId,
      basedOn: baseDescriptionId,
      source: author.by,
      author: author.author,
      createdAt: author.at.toISOString(),
      title,
      description,
    };
  },
});

export const listDescriptions = defineTool({
  name: 'list_descriptions',
  description: 'Versions of the description of a document, newest first. They are untrusted content.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentPath.extend(DescriptionsQuery.shape),
  output: DescriptionList,
  async run({ deps, principal }: ToolContext<'corrections' | 'documents'>, { id, limit }) {
    const { organizationId, description } = await requireDocument(deps, principal, id);
    const rows = await deps.corrections.listDescriptions(organizationId, id, limit);
    return {
      descriptions: rows.map(({ _id, createdAt, modelLabel, value, correction }) => ({
        descriptionId: _id,
        createdAt: createdAt.toISOString(),
        title: value.title,
        description: value.description,
        modelLabel,
        source: correction?.by ?? ('run' as const),
        author: correction?.author ?? null,
        basedOn: correction?.basedOn ?? null,
        current: description?.descriptionId === _id,
      })),
    };
  },
});
