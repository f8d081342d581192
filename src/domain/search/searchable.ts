import type { CorrectedText, DocumentRecord } from '#src/domain/documents/document.ts';

/** Facts of a document that its search record has beside the results of a run, and that people change at any time. */
export interface Searchable extends Pick<
  DocumentRecord,
  'objectKey' | 'apiKeyId' | 'visibility' | 'createdAt' | 'filename' | 'givenTitle' | 'recordText'
> {
  /** Ids of current versions that results of the run do not replace: corrections, and newer results than one since `baseAt`. */
  readonly kept?: Partial<Readonly<Record<CorrectedText, string>>>;
}

interface Version {
  readonly createdAt: Date;
  /** Corrections of older releases have this, and no time in `correctedAt`. */
  readonly correctionOf?: string;
}

function isKept(version: Version, correctedAt: Date | undefined, baseAt: Date | undefined): boolean {
  if (version.correctionOf !== undefined) return true;
  if (correctedAt === undefined) return false;
  return version.createdAt.getTime() === correctedAt.getTime() || (baseAt !== undefined && correctedAt >= baseAt);
}

/** `baseAt`: that of the run which indexes the document. */
export function searchableOf(document: DocumentRecord, baseAt: Date | undefined): Searchable {
  const { objectKey, apiKeyId, visibility, createdAt, filename, givenTitle, recordText } = document;
  const { ocr, description, correctedAt = {} } = document;
  const kept = {
    ...(ocr !== null && isKept(ocr, correctedAt.ocr, baseAt) && { ocr: ocr.ocrResultId }),
    ...(description !== null &&
      isKept(description, correctedAt.description, baseAt) && { description: description.descriptionId }),
  };
  return {
    objectKey,
    apiKeyId,
    visibility,
    createdAt,
    ...(filename !== undefined && { filename }),
    ...(givenTitle !== undefined && { givenTitle }),
    ...(recordText !== undefined && { recordText }),
    kept,
  };
}

/** False: somebody changed what the search record has. */
export const saysTheSame = (one: Searchable, other: Searchable): boolean =>
  one.visibility === other.visibility &&
  one.filename === other.filename &&
  one.givenTitle === other.givenTitle &&
  one.recordText === other.recordText &&
  one.kept?.ocr === other.kept?.ocr &&
  one.kept?.description === other.kept?.description;
