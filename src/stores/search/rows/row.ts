import { Binary } from 'mongodb';
import { copyKeys } from '#src/domain/documents/copies/copies.ts';
import { looseText } from '#src/domain/search/word-forms.ts';

/** Fields that a record and its row have in common: whose the document is, and its texts. */
interface Common {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly visibility: 'private' | 'public';
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly title: string;
  readonly description: string;
  readonly ocrText: string;
}

/** Searchable content of one document. */
export interface SearchRecord extends Common {
  readonly documentId: string;
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

type OfRuns = 'title' | 'description' | 'ocrText' | 'segmentationText';
type Vectors = SearchRecord['embeddings'];

/**
 * Searchable content that a run writes. Texts and vectors that it leaves out stay as an earlier run wrote them, as the document still shows
 * them; null removes a vector. Source: docs/decisions/0254.
 */
export interface SearchUpdate extends Omit<SearchRecord, OfRuns | 'embeddings'>, Partial<Pick<SearchRecord, OfRuns>> {
  readonly embeddings: { readonly [Kind in keyof Vectors]: Vectors[Kind] | null };
}

/** One search record per document. `_id` is the document's id. */
export interface SearchRow extends Common {
  readonly _id: string;
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

type Texts = Pick<SearchRecord, 'title' | 'description' | 'ocrText'> &
  Partial<Pick<SearchRecord, 'filename' | 'recordText' | 'segmentationText'>>;

/** Texts of a row that words are looked up in, the short ones first: the looser spellings are cut at a length. */
export function searchedTexts(row: Texts): string[] {
  const { title, description, filename = '', recordText = '', ocrText, segmentationText = '' } = row;
  return [title, description, filename, recordText, ocrText, segmentationText];
}

/** Fields that are worked out of all texts of a row, and of the hash of its picture. */
export function derivedOf(row: Texts, blockHash = ''): Pick<SearchRow, 'looseText' | 'copyKeys'> {
  const keys = copyKeys(blockHash, row.ocrText);
  return { looseText: looseText(searchedTexts(row).join('\n')), ...(keys.length > 0 && { copyKeys: keys }) };
}

const stored = <T extends { readonly vector: Float32Array }>(embedding: T) => ({
  ...embedding,
  vector: Binary.fromFloat32Array(embedding.vector),
});

export function searchRowOf({ documentId, embeddings, identifiers, ...fields }: SearchRecord): SearchRow {
  const { text, image } = embeddings;
  return {
    _id: documentId,
    ...fields,
    ...derivedOf(fields, image?.blockHash),
    identifiers: [...identifiers],
    embedding: { ...(text && { text: stored(text) }), ...(image && { image: stored(image) }) },
  };
}
