import type { Collections } from '#src/stores/collections.ts';
import type { OcrRow } from '#src/stores/result-rows.ts';
import type { StoredTexts } from '#src/domain/chat/stored-texts.ts';

/** A document, and the ids of its current results. */
export interface TextsOf {
  readonly documentId: string;
  readonly ocrResultId: string | null;
  readonly descriptionId: string | null;
}

/** Limit for all documents of one question together. */
const mostSegmentations = 100;

const given = (ids: readonly (string | null)[]): string[] => ids.filter((id) => id !== null);

/** Lines of pages that have rows of their own, by result, in the order of the pages. */
async function linesApart(
  ocrPages: Collections['ocrPages'],
  organizationId: string,
  of: readonly Pick<OcrRow, '_id' | 'documentId'>[],
) {
  if (of.length === 0) return new Map<string, never>();
  const rows = await ocrPages
    .find(
      {
        organizationId,
        documentId: { $in: of.map(({ documentId }) => documentId) },
        ocrResultId: { $in: of.map(({ _id }) => _id) },
      },
      { projection: { ocrResultId: 1, 'page.index': 1, 'page.lines.text': 1, 'page.lines.box': 1 } },
    )
    .toArray();
  const inOrder = rows.toSorted((a, b) => a.page.index - b.page.index);
  const byResult = Map.groupBy(inOrder, ({ ocrResultId }) => ocrResultId);
  return new Map([...byResult].map(([id, pages]) => [id, pages.map(({ page: { lines } }) => ({ lines }))]));
}

export function createGroundingTexts({
  ocrResults,
  ocrPages,
  descriptions,
  segmentationResults,
}: Pick<Collections, 'ocrResults' | 'ocrPages' | 'descriptions' | 'segmentationResults'>) {
  return {
    async read(organizationId: string, documents: readonly TextsOf[]): Promise<StoredTexts> {
      const documentIds = documents.map(({ documentId }) => documentId);
      const [ocr, described, segmented] = await Promise.all([
        ocrResults
          .find(
            { _id: { $in: given(documents.map((one) => one.ocrResultId)) }, organizationId },
            {
              projection: {
                documentId: 1,
                text: 1,
                pagesApart: 1,
                'result.pages.lines.text': 1,
                'result.pages.lines.box': 1,
              },
            },
          )
          .toArray(),
        descriptions
          .find(
            { _id: { $in: given(documents.map((one) => one.descriptionId)) }, organizationId },
            { projection: { documentId: 1, 'value.title': 1, 'value.description': 1 } },
          )
          .toArray(),
        segmentationResults
          .find(
            { organizationId, documentId: { $in: documentIds }, isolated: { $exists: false } },
            { projection: { 'segments.mask': 0, 'segments.polygon': 0 } },
          )
          .sort({ createdAt: -1 })
          .limit(mostSegmentations)
          .toArray(),
      ]);
      const apart = await linesApart(
        ocrPages,
        organizationId,
        ocr.filter(({ pagesApart }) => pagesApart === true),
      );
      return {
        ocr: ocr.map(({ _id, documentId, text, result }) => ({
          documentId,
          ocrResultId: _id,
          text,
          pages: apart.get(_id) ?? (result?.pages ?? []).map(({ lines }) => ({ lines })),
        })),
        descriptions: described.map(({ _id, documentId, value }) => ({
          documentId,
          descriptionId: _id,
          title: value.title,
          description: value.description,
        })),
        segmentations: segmented.map(({ _id, documentId, prompt, page, segments }) => ({
          documentId,
          segmentationId: _id,
          prompt,
          page,
          segments: segments.map(({ label, text, box }) => ({ label, box, ...(text !== undefined && { text }) })),
        })),
      };
    },
  };
}

/** Texts of several documents in three queries, for any number of documents. Does not read words, masks and polygons. */
export type GroundingTexts = ReturnType<typeof createGroundingTexts>;
