import { Binary } from 'mongodb';
import { copyKeys } from '#src/domain/documents/copies/copies.ts';
import { looseText } from '#src/domain/search/word-forms.ts';

/** Searchable content of one document. The `index` node replaces the whole record. */
export interface SearchRecord {
  readonly documentId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly visibility: 'private' | 'public';
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly title: string;
  readonly description: string;
  readonly ocrText: string;
  /** Prompts of segmentations, and the words found in their regions. */
  readonly segmentationText: string;
  /** Name of the file, with spaces for underscores; absent without one. */
  readonly filename?: string;
  /** Values that people and agents gave in records of the document. */
  readonly recordText?: string;
  /** Numbers and codes found in the text, folded to lower-case letters and digits. Matched exactly. */
  readonly identifiers: readonly string[];
  /** Absent for texts and pictures whose vector would be zero. */
  readonly embeddings: {
    readonly text?: { readonly label: string; readonly vector: Float32Array };
    readonly image?: { readonly label: string; readonly vector: Float32Array; readonly blockHash?: string };
  };
}

/** One search record per document. `_id` is the document's id. */
export interface SearchRow {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly visibility: 'private' | 'public';
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly title: string;
  readonly description: string;
  readonly ocrText: string;
  /** Missing in rows written before segmentation existed. */
  readonly segmentationText?: string;
  /** Missing in older rows, as `recordText`. */
  readonly filename?: string;
  readonly recordText?: string;
  /** Normalized spellings and endings. Missing in older rows. */
  readonly looseText?: string;
  readonly identifiers: readonly string[];
  /** By which copies are found. Missing in older rows, and without a picture's hash. */
  readonly copyKeys?: readonly string[];
  readonly embedding: {
    readonly text?: { readonly label: string; readonly vector: Binary };
    readonly image?: { readonly label: string; readonly vector: Binary; readonly blockHash?: string };
  };
}

type RequiredField = 'title' | 'description' | 'ocrText';
type OptionalField = 'filename' | 'recordText' | 'segmentationText';

const binary = <T extends { vector: Float32Array }>(embedding: T | undefined) =>
  embedding === undefined ? undefined : { ...embedding, vector: Binary.fromFloat32Array(embedding.vector) };

/** Texts of a row that words are looked up in, the short ones first: the looser spellings are cut at a length. */
export function searchedTexts(
  row: Pick<SearchRecord, RequiredField> & Partial<Pick<SearchRecord, OptionalField>>,
): string[] {
  const { title, description, filename = '', recordText = '', ocrText, segmentationText = '' } = row;
  return [title, description, filename, recordText, ocrText, segmentationText];
}

export function searchRowOf({ documentId, embeddings, identifiers, ...fields }: SearchRecord): SearchRow {
  const text = binary(embeddings.text);
  const image = binary(embeddings.image);
  const keys = copyKeys(embeddings.image?.blockHash ?? '', fields.ocrText);
  return {
    _id: documentId,
    ...fields,
    looseText: looseText(searchedTexts(fields).join('\n')),
    identifiers: [...identifiers],
    ...(keys.length > 0 && { copyKeys: keys }),
    embedding: { ...(text && { text }), ...(image && { image }) },
  };
}
