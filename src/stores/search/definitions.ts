import { MongoServerError, type Collection, type Db, type Document } from 'mongodb';
import { AppError } from '#src/domain/app-error.ts';
import type { Quantization } from '#src/stores/search/vector-form.ts';

export const textIndexName = 'documents_text';
export const vectorIndexName = 'documents_vector';
/** Ordinary index that a server without search has instead. */
export const wordIndexName = 'documents_words';

/** Vector lengths in the index, one for each of its fields, and the form of the vectors. */
export interface VectorIndexOptions {
  readonly text: number;
  readonly image: number;
  /** Default: none. */
  readonly quantization?: Quantization;
}

interface SearchIndexDefinition {
  readonly name: string;
  readonly type: 'search' | 'vectorSearch';
  readonly definition: Document;
}

/** Fields that both indexes filter by. */
const scopePaths = ['organizationId', 'projectId', 'visibility', 'apiKeyId', '_id'];

const english = { type: 'string', analyzer: 'lucene.english' };

const textIndex: SearchIndexDefinition = {
  name: textIndexName,
  type: 'search',
  definition: {
    mappings: {
      dynamic: false,
      fields: {
        title: english,
        description: english,
        ocrText: english,
        segmentationText: english,
        filename: { type: 'string', analyzer: 'lucene.standard' },
        recordText: english,
        looseText: { type: 'string', analyzer: 'lucene.standard' },
        objectKey: { type: 'string' },
        ...Object.fromEntries(scopePaths.map((path) => [path, { type: 'token' }])),
      },
    },
  },
};

/** `flat` compares every vector that passes the filter, without a graph. Intended for many tenants of up to 10,000 vectors. */
const vectorField = (path: string, numDimensions: number, quantization: Quantization): Document => ({
  type: 'vector',
  path,
  numDimensions,
  similarity: 'cosine',
  indexingMethod: 'flat',
  // Servers from before quantization know no field of this name.
  ...(quantization !== 'none' && { quantization }),
});

const vectorIndex = ({ text, image, quantization = 'none' }: VectorIndexOptions): SearchIndexDefinition => ({
  name: vectorIndexName,
  type: 'vectorSearch',
  definition: {
    fields: [
      vectorField('embedding.text.vector', text, quantization),
      vectorField('embedding.image.vector', image, quantization),
      ...[...scopePaths, 'embedding.text.label', 'embedding.image.label'].map((path) => ({ type: 'filter', path })),
    ],
  },
});

/** Search indexes that this program makes. */
export const searchIndexesOf = (vectors: VectorIndexOptions): readonly SearchIndexDefinition[] => [
  textIndex,
  vectorIndex(vectors),
];

/** Path of a member of a list of definitions, by which two lists are compared: servers order them in their own way. */
const pathOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null && 'path' in item ? item.path : null;

function holdsAll(present: readonly unknown[], wanted: readonly unknown[]): boolean {
  if (present.length !== wanted.length) return false;
  return wanted.every((item, at) => {
    const path = pathOf(item);
    return holds(path === null ? present[at] : present.find((one) => pathOf(one) === path), item);
  });
}

/** Form of the vectors of a field of an index; null for a field without vectors. */
const quantizationOf = ({ type, quantization = 'none' }: Document): unknown =>
  type === 'vector' ? quantization : null;

/** Checks that the wanted definition is part of the actual one: servers add defaults. `indexingMethod` is a wish that some refuse. */
function holds(present: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(present) && holdsAll(present, wanted);
  if (typeof wanted !== 'object' || wanted === null) return present === wanted;
  if (typeof present !== 'object' || present === null) return false;
  // A field that does not name its form has whole vectors.
  if (quantizationOf(present) !== quantizationOf(wanted)) return false;
  return Object.entries(wanted).every(
    ([key, value]) => key === 'indexingMethod' || key === 'quantization' || holds((present as Document)[key], value),
  );
}

/** IndexAlreadyExists: another process created it a moment ago. */
const exists = 68;
/** IndexOptionsConflict, IndexKeySpecsConflict: an index of this name is of other fields. */
const otherIndex: ReadonlySet<unknown> = new Set([85, 86]);
/** CommandNotFound, CommandNotSupported, SearchNotEnabled, an unknown pipeline stage: MongoDB without Atlas Search. */
const withoutSearch: ReadonlySet<unknown> = new Set([59, 115, 31_082, 40_324]);

/** True for the refusal of a server that has no search of its own. */
export function lacksSearch(error: unknown): boolean {
  return error instanceof MongoServerError && withoutSearch.has(error.code);
}

async function found(records: Collection, name: string): Promise<Document | undefined> {
  const [index] = await records.listSearchIndexes(name).toArray();
  return index;
}

/** The definition without the indexing method, for servers that do not know the one that we wish for. */
function withoutMethod(definition: Document): Document {
  if (!Array.isArray(definition['fields'])) return definition;
  const fields = definition['fields'].map((field: Document) =>
    Object.fromEntries(Object.entries(field).filter(([name]) => name !== 'indexingMethod')),
  );
  return { ...definition, fields };
}

/** Explains the refusal of a server that cannot keep vectors as it is told: whole ones might not fit into its memory. */
function explained(error: unknown): unknown {
  if (!(error instanceof MongoServerError) || !error.message.includes('quantization')) return error;
  return new AppError(
    'service.unavailable',
    `The MongoDB refuses VECTOR_QUANTIZATION (${error.message}). Unset it, or use a server that has it, such as Atlas.`,
    { cause: error },
  );
}

/** Makes or changes an index by `send`: without the indexing method on a server that does not know it. */
async function defined(definition: Document, send: (definition: Document) => Promise<unknown>): Promise<void> {
  try {
    await send(definition).catch((error: unknown) => {
      if (!(error instanceof MongoServerError) || !error.message.includes('indexingMethod')) throw error;
      return send(withoutMethod(definition));
    });
  } catch (error) {
    if (error instanceof MongoServerError && error.code === exists) return;
    throw explained(error);
  }
}

/** Index of words for a server without search: `$text` ranks by it. One of a collection, led by the organization. */
async function createWordIndex(records: Collection): Promise<void> {
  const words = Object.fromEntries(
    ['title', 'description', 'ocrText', 'segmentationText', 'filename', 'recordText'].map((path) => [path, 'text']),
  );
  const weights = { title: 3, description: 2, ocrText: 1, segmentationText: 1, filename: 1, recordText: 1 };
  const key = { organizationId: 1, ...words } as const;
  const options = { weights, default_language: 'english', language_override: 'noLanguage' };
  const make = (): Promise<unknown> => records.createIndexes([{ key, name: wordIndexName, ...options }]);
  try {
    await make();
  } catch (error) {
    if (!(error instanceof MongoServerError) || !otherIndex.has(error.code)) throw error;
    // An older version made it of fewer fields.
    await records.dropIndex(wordIndexName);
    await make();
  }
}

/**
 * Creates missing search indexes and updates those with another definition. Atlas builds them afterwards; `check` of the search rejects
 * until they are ready. Returns false for a server without search, which gets an index of words instead.
 */
export async function ensureSearchIndexes(db: Db, vectors: VectorIndexOptions): Promise<boolean> {
  const known = await db.listCollections({ name: 'searchRecords' }).toArray();
  if (known.length === 0) await db.createCollection('searchRecords');
  const records = db.collection('searchRecords');
  try {
    for (const index of searchIndexesOf(vectors)) {
      const present = await found(records, index.name);
      const { name, type } = index;
      if (present === undefined)
        await defined(index.definition, (definition) => records.createSearchIndex({ name, type, definition }));
      else if (!holds(present['latestDefinition'], index.definition))
        await defined(index.definition, (definition) => records.updateSearchIndex(name, definition));
    }
    return true;
  } catch (error) {
    if (!lacksSearch(error)) throw error;
    await createWordIndex(records);
    return false;
  }
}

/** Names of indexes that are not ready: a search in a missing index is empty, not an error. */
export async function missingIndexes(records: Collection, names: readonly string[]): Promise<string[]> {
  const indexes = await Promise.all(names.map((name) => found(records, name)));
  return names.filter((_, at) => indexes[at]?.['queryable'] !== true);
}

export interface SearchIndexFinding {
  readonly name: string;
  readonly state: 'ready' | 'building' | 'missing' | 'differs';
}

/** Compares the search indexes with those that this program makes. null: a server without search. Changes nothing. */
export async function findSearchIndexes(
  db: Db,
  vectors: VectorIndexOptions,
): Promise<readonly SearchIndexFinding[] | null> {
  const records = db.collection('searchRecords');
  const stateOf = async ({ name, definition }: SearchIndexDefinition): Promise<SearchIndexFinding['state']> => {
    const present = await found(records, name);
    if (present === undefined) return 'missing';
    if (!holds(present['latestDefinition'], definition)) return 'differs';
    return present['queryable'] === true ? 'ready' : 'building';
  };
  try {
    return await Promise.all(
      searchIndexesOf(vectors).map(async (index) => ({ name: index.name, state: await stateOf(index) })),
    );
  } catch (error) {
    if (!lacksSearch(error)) throw error;
    return null;
  }
}
